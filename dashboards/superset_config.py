"""How Superset runs for the dashboards: for one person on this machine, without a request to any other."""

import os
from pathlib import Path

STATE = Path(os.environ["SCUTTLEHOUSE_DASHBOARDS"])

APP_NAME = "scuttlehouse"
SECRET_KEY = (STATE / "secret_key").read_text()
SQLALCHEMY_DATABASE_URI = f"sqlite:///{STATE}/superset.db"

# The default allows pictures and maps of other hosts. Here browsers ask this server alone.
TALISMAN_ENABLED = True
TALISMAN_CONFIG = {
    "content_security_policy": {
        "base-uri": ["'self'"],
        "default-src": ["'self'"],
        "img-src": ["'self'", "blob:", "data:"],
        "worker-src": ["'self'", "blob:"],
        "connect-src": ["'self'"],
        "object-src": "'none'",
        "style-src": ["'self'", "'unsafe-inline'"],
        "font-src": ["'self'"],
        "script-src": ["'self'", "'strict-dynamic'"],
        "frame-ancestors": ["'none'"],
    },
    "content_security_policy_nonce_in": ["script-src"],
    "force_https": False,
    "session_cookie_secure": False,
}
SESSION_COOKIE_SAMESITE = "Strict"

# A build replaces the file that charts are made of: they are asked anew each time, in fractions of a second.
CACHE_CONFIG = FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = {
    "CACHE_TYPE": "SupersetMetastoreCache",
    "CACHE_DEFAULT_TIMEOUT": 86400,
}
DATA_CACHE_CONFIG = {"CACHE_TYPE": "NullCache"}
RATELIMIT_STORAGE_URI = "memory://"

FEATURE_FLAGS = {"DASHBOARD_VIRTUALIZATION": True}
D3_TIME_FORMAT = {"dateTime": "%Y-%m-%d %H:%M", "date": "%Y-%m-%d", "time": "%H:%M"}

# The colours of Okabe and Ito: colour-blind people can tell them apart.
EXTRA_CATEGORICAL_COLOR_SCHEMES = [
    {
        "id": "okabe_ito",
        "label": "Okabe and Ito",
        "description": "",
        "isDefault": True,
        "colors": ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"],
    }
]
