"""An OAuth 2.0 server of Authlib's, with a protected resource, for the interop tests of `Authentication` and `SignIn`.

POST /token issues tokens: client credentials with a secret (Basic or in the body) or with an assertion (RS256), refresh
tokens, which are replaced with each use, and authorization codes with PKCE, for which OpenID Connect adds an ID token. GET
/authorize redirects with a code, as if the user had signed in, and POST /revocations revokes a token (RFC 7009). GET /items
wants the scope items.read. The other paths are the tests' own: they sign a user in, register a key, and for one client
revoke all access tokens and count the token requests. Suites run at the same time, with clients of their own.
"""

import re
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants, list_to_scope, scope_to_list
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request

app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
keys = {}
tokens = []
codes = {}
id_token_key = {"kty": "oct", "k": "bm90IHNlY3JldCwgZm9yIHRlc3RzIG9ubHkuIDMyIGJ5dGVz"}
counts = {}
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
        allowed = ("items.read", "items.write", "openid")
        return list_to_scope([name for name in scope_to_list(scope) or [] if name in allowed])

    def check_redirect_uri(self, redirect_uri):
        # Any port (RFC 8252, section 7.3).
        return self.client_secret is None and re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/callback", redirect_uri)

    def check_client_secret(self, client_secret):
        return self.client_secret is not None and client_secret == self.client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        if "none" in self.methods:
            return grant_type in ("authorization_code", "refresh_token")
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
    "native": Client("native", None, ["none"]),
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


class Code:
    """An authorization code, valid once."""

    def __init__(self, code, request):
        self.code = code
        self.client_id = request.client.client_id
        self.redirect_uri = request.payload.redirect_uri
        self.scope = request.payload.scope
        self.code_challenge = request.payload.data.get("code_challenge")
        self.code_challenge_method = request.payload.data.get("code_challenge_method")
        self.nonce = request.payload.data.get("nonce")

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request):
        codes[code] = Code(code, request)

    def query_authorization_code(self, code, client):
        known = codes.get(code)
        return known if known and known.client_id == client.client_id else None

    def delete_authorization_code(self, authorization_code):
        del codes[authorization_code.code]

    def authenticate_user(self, authorization_code):
        return "ann"


class IDToken(OpenIDCode):
    def get_jwt_config(self, grant=None, client=None):
        return {"key": id_token_key, "alg": "HS256", "iss": issuer(), "exp": 600}

    def exists_nonce(self, nonce, request):
        return any(code.nonce == nonce for code in codes.values())

    def generate_user_info(self, user, scope):
        return UserInfo(sub=user)


class Issuer(IssuerParameter):
    def get_issuer(self):
        return issuer()


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def query_token(self, token_string, token_type_hint):
        return next((token for token in tokens if token_string in (token.access_token, token.refresh_token)), None)

    def revoke_token(self, token, request):
        token.revoked = True
        token.refresh_token = None


class RefreshToken(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt", "none"]
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
server.register_grant(AuthorizationCode, [CodeChallenge(required=True), IDToken()])
server.register_endpoint(Revocation)
server.register_extension(Issuer())
protector = ResourceProtector()
protector.register_token_validator(Validator())


@app.post("/token")
def token():
    client_id = request.authorization.username if request.authorization else request.form.get("client_id")
    counts[client_id] = counts.get(client_id, 0) + 1
    return server.create_token_response()


def issuer():
    return request.host_url.rstrip("/")


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    return jsonify(
        issuer=issuer(),
        authorization_endpoint=issuer() + "/authorize",
        token_endpoint=issuer() + "/token",
        revocation_endpoint=issuer() + "/revocations",
        response_types_supported=["code"],
        code_challenge_methods_supported=["S256"],
        authorization_response_iss_parameter_supported=True,
    )


@app.get("/authorize")
def authorize():
    grant = server.get_consent_grant(end_user="ann")
    return server.create_authorization_response(grant_user="ann", grant=grant)


@app.post("/revocations")
def revocations():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


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


@app.post("/revoke/<client_id>")
def revoke(client_id):
    for token in tokens:
        if token.client.client_id == client_id:
            token.revoked = True
    return "", 204


@app.get("/counts/<client_id>")
def count(client_id):
    return jsonify(requests=counts.get(client_id, 0))
