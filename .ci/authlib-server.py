"""An OAuth 2.0 server of Authlib's, with a protected resource, for the interop tests of `Authentication`.

POST /token issues tokens: client credentials with a secret (Basic or in the body) or with an assertion (RS256), and
refresh tokens, which are replaced with each use. GET /items wants the scope items.read. The other paths are the tests'
own: they sign a user in, register a key, revoke all access tokens, and count the token requests.
"""

import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants, list_to_scope, scope_to_list
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from flask import Flask, jsonify, request

app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
keys = {}
tokens = []
counts = {"requests": 0}
assertion_ids = set()


class Client(ClientMixin):
    def __init__(self, client_id, secret, methods):
        self.client_id = client_id
        self.client_secret = secret
        self.methods = methods

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return list_to_scope([name for name in scope_to_list(scope) or [] if name in ("items.read", "items.write")])

    def check_redirect_uri(self, redirect_uri):
        return False

    def check_client_secret(self, client_secret):
        return self.client_secret is not None and client_secret == self.client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return grant_type in ("client_credentials", "refresh_token")


class Token(TokenMixin):
    def __init__(self, client, values):
        self.client = client
        self.access_token = values["access_token"]
        self.refresh_token = values.get("refresh_token")
        self.scope = values.get("scope", "")
        self.expires_at = time.time() + values["expires_in"]
        self.revoked = False

    def check_client(self, client):
        return self.client.client_id == client.client_id

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return int(self.expires_at - time.time())

    def is_expired(self):
        return self.expires_at <= time.time()

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return None

    def get_client(self):
        return self.client


clients = {
    # A secret without reserved characters: Authlib does not decode what Basic encodes (RFC 6749, section 2.3.1).
    "app": Client("app", "s3cret", ["client_secret_basic", "client_secret_post"]),
    "signed": Client("signed", None, ["client_assertion_jwt"]),
}


class Assertion(JWTBearerClientAssertion):
    def get_audiences(self):
        return [request.base_url]

    def validate_jti(self, claims, jti):
        is_new = jti not in assertion_ids
        assertion_ids.add(jti)
        return is_new

    def resolve_client_public_key(self, client):
        return keys[client.client_id]


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt"]


class RefreshToken(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        return next((token for token in tokens if token.refresh_token == refresh_token), None)

    def authenticate_user(self, refresh_token):
        return "ann"

    def revoke_old_credential(self, refresh_token):
        refresh_token.refresh_token = None
        refresh_token.revoked = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return next((token for token in tokens if token.access_token == token_string and not token.revoked), None)


server = AuthorizationServer(
    app,
    query_client=lambda client_id: clients.get(client_id),
    save_token=lambda token, request: tokens.append(Token(request.client, token)),
)
server.register_client_auth_method(Assertion.CLIENT_AUTH_METHOD, Assertion())
server.register_grant(ClientCredentials)
server.register_grant(RefreshToken)
protector = ResourceProtector()
protector.register_token_validator(Validator())


@app.post("/token")
def token():
    counts["requests"] += 1
    return server.create_token_response()


@app.get("/items")
@protector("items.read")
def items():
    return jsonify(client=current_token.client.client_id)


@app.post("/sign-in")
def sign_in():
    values = server.generate_token("refresh_token", clients["app"], user="ann", scope="items.read", expires_in=3600)
    tokens.append(Token(clients["app"], values))
    return jsonify(values)


@app.post("/keys/<client_id>")
def register_key(client_id):
    keys[client_id] = request.get_json()
    return "", 204


@app.post("/revoke")
def revoke():
    for token in tokens:
        token.revoked = True
    return "", 204


@app.get("/counts")
def count():
    return jsonify(counts)
