"""A tus server for the interop tests of `Transport`: tuspyserver at /files, and the content of its uploads at /stored/ID."""

import os
import tempfile

from fastapi import FastAPI
from fastapi.responses import FileResponse
from tuspyserver import create_tus_router

folder = tempfile.mkdtemp(prefix="tus-", dir=os.environ.get("HOME"))
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=folder, max_size=64 << 20))


@app.get("/stored/{name}")
def stored(name: str):
    return FileResponse(os.path.join(folder, os.path.basename(name)), media_type="application/octet-stream")
