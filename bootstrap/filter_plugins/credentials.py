"""Credentials for Git, as people mount them, in the words that Argo CD knows."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from ansible.errors import AnsibleFilterError

KEYS = (
    "username",
    "password",
    "bearerToken",
    "sshPrivateKey",
    "tlsClientCertData",
    "tlsClientCertKey",
    "githubAppID",
    "githubAppInstallationID",
    "githubAppEnterpriseBaseUrl",
    "githubAppPrivateKey",
)
# What Secrets of the type kubernetes.io/ssh-auth call it.
OTHER_NAMES = {"ssh-privatekey": "sshPrivateKey"}


def git_credentials(path, repository):
    """{key: value} from a folder with a file for each, a YAML file, or a line `https://user:password@host` for this repository's host."""
    try:
        found = _of_folder(path) if os.path.isdir(path) else _of_text(Path(path).read_text(encoding="utf-8"), repository)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        # The text of a YAML error quotes the file.
        raise AnsibleFilterError("%s cannot be read as credentials (%s)" % (path, type(error).__name__)) from None
    named = {OTHER_NAMES.get(name, name): value for name, value in found.items()}
    known = {name: str(value) for name, value in named.items() if name in KEYS and value not in (None, "")}
    if not known:
        raise AnsibleFilterError(
            "%s holds no credentials for Git: neither keys that Argo CD knows (username and password, sshPrivateKey …) "
            "nor a line https://user:password@host for the host of the repository" % path
        )
    return known


def encoded(values):
    """As the data of a Secret has them."""
    return {name: base64.b64encode(value.encode()).decode() for name, value in values.items()}


def _of_folder(path):
    # Mounted Secrets have links and folders of their own between the files.
    names = [name for name in os.listdir(path) if not name.startswith("..") and os.path.isfile(os.path.join(path, name))]
    return {name: _of_file(os.path.join(path, name)) for name in names}


def _of_file(path):
    text = Path(path).read_text(encoding="utf-8")
    # A key without its last line break is no key; a password with one is the wrong password.
    return text if "\n" in text.strip() else text.strip()


def _of_text(text, repository):
    if text.lstrip().startswith(("https://", "http://")):
        return _of_lines(text.splitlines(), urlsplit(repository).hostname)
    found = yaml.safe_load(text)
    return found if isinstance(found, dict) else {}


def _of_lines(lines, host):
    for line in lines:
        address = urlsplit(line.strip())
        if address.hostname == host and address.password:
            return {"username": unquote(address.username or ""), "password": unquote(address.password)}
    return {}


class FilterModule:
    """Filters about credentials."""

    def filters(self):
        return {"git_credentials": git_credentials, "encoded": encoded}
