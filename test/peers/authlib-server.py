"""Authlib's authorization server behind Flask, in memory: device grant, refresh tokens that rotate, revocation.

Usage: authlib-server.py CLOCK. The file CLOCK has the time in milliseconds. Prints its address once it listens.
"""

import os
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
clock = sys.argv[1]


def now():
    with open(clock, encoding="ascii") as file:
        return float(file.read()) / 1000


time.time = now

from authlib.integrations.flask_oauth2 import AuthorizationServer  # noqa: E402
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants  # noqa: E402
from authlib.oauth2.rfc7009 import RevocationEndpoint  # noqa: E402
from authlib.oauth2.rfc8628 import (  # noqa: E402
    DEVICE_CODE_GRANT_TYPE,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialDict,
)
from flask import Flask, jsonify, request  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

METHODS = ["none", "client_secret_post", "client_secret_basic"]


class Client(ClientMixin):
    def __init__(self, method):
        self.method = method

    def get_client_id(self):
        return self.method

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope

    def check_client_secret(self, secret):
        return secret == "authlib-secret"

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_grant_type(self, grant_type):
        return grant_type in (DEVICE_CODE_GRANT_TYPE, "refresh_token")


class Token(dict, TokenMixin):
    def check_client(self, client):
        return self["client_id"] == client.get_client_id()

    def get_scope(self):
        return self["scope"]

    def get_expires_in(self):
        return self["expires_in"]


clients = {method: Client(method) for method in METHODS}
codes, decisions, tokens = {}, {}, []


def save_token(token, asked):
    tokens.append(Token(token, client_id=asked.client.get_client_id(), user=asked.user))


app = Flask("authlib")
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {DEVICE_CODE_GRANT_TYPE: 900, "refresh_token": 900}
server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)


class Codes(DeviceAuthorizationEndpoint):
    EXPIRES_IN = 120

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        more = {"client_id": client_id, "scope": scope, "expires_at": now() + self.EXPIRES_IN}
        codes[data["device_code"]] = DeviceCredentialDict(data, **more)


class Grant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def query_device_credential(self, device_code):
        return codes.get(device_code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        polled_at, credential["polled_at"] = credential.get("polled_at", 0), now()
        return now() - polled_at < Codes.INTERVAL


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        return next((token for token in tokens if token["refresh_token"] == refresh_token), None)

    def authenticate_user(self, credential):
        return credential["user"]

    def revoke_old_credential(self, credential):
        tokens.remove(credential)


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = METHODS
    SUPPORTED_TOKEN_TYPES = {"access_token", "refresh_token"}

    def query_token(self, token_string, token_type_hint):
        both = ("access_token", "refresh_token")
        return next((token for token in tokens if token_string in [token[kind] for kind in both]), None)

    def revoke_token(self, token, asked):
        tokens.remove(token)


server.register_endpoint(Codes)
server.register_endpoint(Revocation)
server.register_grant(Grant)
server.register_grant(Refresh)


@app.post("/device_authorization")
def device_authorization():
    return server.create_endpoint_response(Codes.ENDPOINT_NAME)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.post("/decide")
def decide():
    """The person at the page."""
    decisions[request.form["user_code"]] = ("ada", request.form["allow"] == "yes")
    return ""


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    base = request.host_url.rstrip("/")
    return jsonify(
        issuer=base,
        device_authorization_endpoint=base + "/device_authorization",
        token_endpoint=base + "/token",
        revocation_endpoint=base + "/revoke",
        token_endpoint_auth_methods_supported=METHODS,
        grant_types_supported=[DEVICE_CODE_GRANT_TYPE, "refresh_token"],
    )


listener = make_server("127.0.0.1", 0, app, threaded=True)
print(f"http://127.0.0.1:{listener.port}", flush=True)
listener.serve_forever()
