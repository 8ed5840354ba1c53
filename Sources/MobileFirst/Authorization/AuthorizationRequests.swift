import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Transport

/// Requests to the authorization server, and the client's assertions for them.
struct AuthorizationRequests: Sendable {
    let state: ClientState
    private(set) var transport: SignInStack
    /// The server's time, known from `clockSynchronization`.
    let serverClock: ServerClock
    let date: @Sendable () -> Date

    init(state: ClientState, handlers: HandlerRegistry, date: @escaping @Sendable () -> Date) {
        self.state = state
        self.date = date
        transport = state.signIns(handlers)
        serverClock = ServerClock(date: date)
    }

    /// The requests that no call of the app waits for: they open no dialog of a gateway.
    var unattended: AuthorizationRequests {
        var requests = self
        requests.transport = state.signIns(HandlerRegistry())
        return requests
    }

    func post(_ path: String, at server: BaseURL, json: JSONValue) async throws -> HTTPResponse {
        try await send(.post, path, at: server, json: json)
    }

    func post(_ path: String, at server: BaseURL, form: [(String, String)]) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(
                .post, server.appending("api/\(path)").text,
                fields: HTTPFields(["Content-Type": MediaType.form.description]),
                body: .text(URIComponent.encode(form)), options: options()))
    }

    func send(
        _ method: HTTPMethod, _ path: String, at server: BaseURL, json: JSONValue
    ) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(
                method, server.appending("api/\(path)").text,
                fields: HTTPFields(["Content-Type": "application/json; charset=utf-8"]), body: .bytes(json.data()),
                options: options()))
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await transport.send(request) }

    func options() throws -> RequestOptions {
        var options = RequestOptions(timeouts: try timeouts(), maximumResponseBytes: 1 << 20)
        options.skipsAuthorization = true
        options.hasSecretBody = true
        return options
    }

    private func timeouts() throws -> Timeouts { Timeouts(total: try .timeout(seconds: state.loginTimeout)) }

    // MARK: Assertions

    /// A signed assertion of the client.
    func assertion(
        _ registration: Registration, id: String? = nil, audience: String? = nil
    ) async throws -> String {
        try await Assertion(
            registration: registration, application: state.configuration, id: id, audience: audience,
            time: serverClock.now
        ).signed().compact
    }

    /// Sends a request with an assertion, and again if its refusal shows that the clock was wrong.
    func asserting(
        _ registration: Registration, _ send: (String) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let skew = serverClock.skew
        let response = try await send(assertion(registration))
        guard [.badRequest, .unauthorized, .forbidden].contains(response.status) else { return response }
        serverClock.synchronize(with: response.head)
        return serverClock.hasChanged(since: skew) ? try await send(assertion(registration)) : response
    }

    /// Sends a form with an assertion; see ``asserting(_:_:)``.
    func post(
        _ path: String, at server: BaseURL, assertedBy registration: Registration, form: [(String, String)] = []
    ) async throws -> HTTPResponse {
        try await asserting(registration) { assertion in
            let own = [("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion)]
            return try await post(path, at: server, form: own + form)
        }
    }

    /// The server's token endpoint.
    func tokenEndpoint(
        _ servers: ClientState.Servers, client: ClientAuthentication, clock: ServerClock? = nil
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            servers.authorization.appending("api/az/v1/token").text, client: client, over: transport,
            timeouts: timeouts(), clock: clock ?? ServerClock(date: date),
            allowsInsecureURL: state.configuration.allowsInsecureServers)
    }
}

extension WLError {
    /// The error for a response that is not the expected one.
    static func refused(_ response: HTTPResponse, _ exchange: String) -> WLError {
        let code: WLError.Code = response.status.kind == .clientError ? .authorization : .status
        let type = response.mediaType?.essence ?? "without a content type"
        let text =
            [.successful, .redirection].contains(response.status.kind)
            ? "the response to the \(exchange) is not MobileFirst's: \(response.head), \(type); "
                + "register a GatewayChallengeHandler, or check `WLConfiguration.serverURL`."
            : "the server refused the \(exchange): \(response.head)."
        return WLError(code, "AUTHORIZATION_FAILURE: \(text)", response: WLResponse(response))
    }
}
