"""Authlib's OAuth server with a FHIR resource behind it, for the tests of FireLiteSync. On the loopback interface only.

Registration (RFC 7591, 7592), client credentials, authorization code with PKCE where everybody is signed in at once, refresh with
rotation. POST /expire ends all access tokens; GET /counts says how many were given out.
"""
import os
import secrets
import sys
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint
from authlib.oauth2.rfc7592 import ClientConfigurationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import Flask, jsonify, request

port = int(sys.argv[1])
root = f"http://127.0.0.1:{port}"
clients, codes, tokens = {}, {}, {}
counts = {"tokens": 0, "registrations": 0}


class Client(ClientMixin):
    def __init__(self, info, metadata):
        self.client_info, self.client_metadata = info, metadata
        self.registration_token = secrets.token_urlsafe(24)

    def get_client_id(self):
        return self.client_info["client_id"]

    def get_default_redirect_uri(self):
        return (self.client_metadata.get("redirect_uris") or [None])[0]

    def get_allowed_scope(self, scope):
        return scope

    def check_redirect_uri(self, uri):
        return uri in self.client_metadata.get("redirect_uris", [])

    def check_client_secret(self, secret):
        return secrets.compare_digest(secret, self.client_info["client_secret"])

    def check_endpoint_auth_method(self, method, endpoint):
        return endpoint != "token" or method == self.client_metadata.get("token_endpoint_auth_method", "client_secret_basic")

    def check_response_type(self, response_type):
        return response_type in self.client_metadata.get("response_types", [])

    def check_grant_type(self, grant_type):
        return grant_type in self.client_metadata.get("grant_types", [])


class Token(TokenMixin):
    def __init__(self, client, values):
        self.client, self.values, self.made = client, values, time.time()
        self.is_ended = False

    def check_client(self, client):
        return self.client is client

    def get_scope(self):
        return self.values.get("scope")

    def get_expires_in(self):
        return self.values["expires_in"]

    def is_expired(self):
        return self.is_ended or time.time() > self.made + self.get_expires_in()

    def is_revoked(self):
        return self.is_ended

    def get_user(self):
        return "user"

    def get_client(self):
        return self.client


class Code(AuthorizationCodeMixin):
    def __init__(self, values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def save_authorization_code(self, code, request):
        data = request.payload.data
        codes[code] = Code({
            "code": code, "client": request.client, "redirect_uri": request.payload.redirect_uri, "scope": request.payload.scope,
            "code_challenge": data.get("code_challenge"), "code_challenge_method": data.get("code_challenge_method"),
        })

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client is client else None

    def delete_authorization_code(self, code):
        codes.pop(code.code, None)

    def authenticate_user(self, code):
        return "user"


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        for token in tokens.values():
            if token.values.get("refresh_token") == text and not token.values.get("is_spent"):
                return token

    def authenticate_user(self, token):
        return "user"

    def revoke_old_credential(self, token):
        token.values["is_spent"] = True


class CredentialsGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class Registration(ClientRegistrationEndpoint):
    def authenticate_token(self, request):
        return "anybody"

    def get_server_metadata(self):
        return {}

    def save_client(self, info, metadata, request):
        counts["registrations"] += 1
        return clients.setdefault(info["client_id"], Client(info, metadata))

    def generate_client_registration_info(self, client, request):
        return {
            "registration_client_uri": f"{root}/register/{client.get_client_id()}",
            "registration_access_token": client.registration_token,
        }


class Configuration(ClientConfigurationEndpoint):
    def authenticate_token(self, request):
        text = request.headers.get("Authorization", "")
        return next((c for c in clients.values() if text == f"Bearer {c.registration_token}"), None)

    def authenticate_client(self, request):
        return clients.get(request.uri.split("/")[-1])

    def revoke_access_token(self, request, token):
        pass

    def check_permission(self, client, request):
        return request.credential is client

    def get_server_metadata(self):
        return {}

    def update_client(self, client, metadata, request):
        client.client_metadata.update(metadata)
        return client

    def delete_client(self, client, request):
        del clients[client.get_client_id()]

    def generate_client_registration_info(self, client, request):
        return {
            "registration_client_uri": f"{root}/register/{client.get_client_id()}",
            "registration_access_token": client.registration_token,
        }


def save_token(values, request):
    counts["tokens"] += 1
    tokens[values["access_token"]] = Token(request.client, values)


app = Flask("oauth")
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_grant(CredentialsGrant)
server.register_endpoint(Registration)
server.register_endpoint(Configuration)


@app.get("/fhir/.well-known/smart-configuration")
def configuration():
    return jsonify({
        "authorization_endpoint": f"{root}/authorize", "token_endpoint": f"{root}/token", "registration_endpoint": f"{root}/register",
        "code_challenge_methods_supported": ["S256"], "capabilities": ["launch-standalone"],
    })


@app.get("/fhir/Patient/1")
def patient():
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    token = tokens.get(text)
    if scheme != "Bearer" or token is None or token.is_expired():
        return jsonify({"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "login"}]}), 401
    return jsonify({"resourceType": "Patient", "id": "1"})


@app.get("/authorize")
def authorize():
    grant = server.get_consent_grant(end_user="user")
    return server.create_authorization_response(grant_user="user", grant=grant)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/register")
def register():
    return server.create_endpoint_response(Registration.ENDPOINT_NAME)


@app.route("/register/<id>", methods=["GET", "PUT", "DELETE"])
def registered(id):
    return server.create_endpoint_response(Configuration.ENDPOINT_NAME)


@app.post("/expire")
def expire():
    for token in tokens.values():
        token.is_ended = True
    return "", 204


@app.get("/counts")
def count():
    return jsonify(counts)


app.run(host="127.0.0.1", port=port, threaded=True)
