"""Makes the database of Superset, its user and its dashboards; `serve.py` runs it in Superset's environment.

python dashboards/prepare.py [SERVING_FILE]    without a file: another password
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import assets


def prepare(file: Path) -> None:
    """Bring Superset up to the code that is here; print each step.

    Args:
        file: the serving file.
    """
    _say("Loading Superset ...")
    app = _app()
    from flask.cli import ScriptInfo
    from superset.cli.main import superset as commands

    def superset(*arguments: str) -> None:
        """A command of Superset, in this process: each start of Superset takes seconds."""
        info = ScriptInfo(create_app=lambda: app)
        commands.main(list(arguments), "superset", standalone_mode=False, obj=info)

    _say("Making its database ...")
    superset("db", "upgrade")
    _say("Making its roles ...")
    superset("init")
    with app.app_context():
        is_new = not app.appbuilder.sm.find_user(username="admin")
    password = secrets.token_urlsafe(12)
    if is_new:
        names = "--username admin --firstname Owner --lastname Owner --email owner@localhost"
        superset("fab", "create-admin", *names.split(), "--password", password)
        _show(password)
    _say("Making the dashboards ...")
    _import(app, assets.all_assets(file))


def _import(app: Any, contents: Mapping[str, str]) -> None:
    """Import assets. The command `import-directory` does the same, but only logs what is wrong."""
    from flask import g
    from superset.commands.exceptions import CommandInvalidError
    from superset.commands.importers.v1.assets import ImportAssetsCommand

    with app.app_context():
        g.user = app.appbuilder.sm.find_user(username="admin")
        try:
            ImportAssetsCommand(dict(contents)).run()
        except CommandInvalidError as error:
            raise SystemExit(
                f"Superset refuses the assets: {error.normalized_messages()}"
            ) from error


def change_password() -> None:
    """Give the user another random password, and print it."""
    app = _app()
    password = secrets.token_urlsafe(12)
    with app.app_context():
        manager = app.appbuilder.sm
        manager.reset_password(manager.find_user(username="admin").id, password)
    _show(password)


def _app() -> Any:
    from superset.app import create_app

    return create_app()


def _show(password: str) -> None:
    _say(
        f"\n    The user is admin, the password is {password}\n"
        "    It is shown this once; `make dashboards-password` makes another one.\n"
    )


def _say(text: str) -> None:
    print(text, file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    sys.stdout = sys.stderr  # What Superset prints is for its log.
    if sys.argv[1:]:
        prepare(Path(sys.argv[1]))
    else:
        change_password()
