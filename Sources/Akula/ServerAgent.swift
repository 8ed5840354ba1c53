import HTTPMessages
public import RequestModel
public import Transport

/// The vendor's agent for the Akula server, over the transport that ``HTTPAgent/configure(transport:)`` sets.
public typealias AKServerAgent = ServerAgent<AnyTransport>

/// Sends requests to the endpoints of an app scope on an Akula server.
///
/// ```swift
/// AKServerAgent.initialize("https://example.com/akula/myServerApp")
/// let agent = AKServerAgent()
/// agent.get("/data/jsonData", delegate: handler)
/// ```
/// An endpoint is appended to the base URL with one slash between. `Accept` and `Content-Type` default to
/// `application/json`; the agent's data, the call's data and the body type override them. Each call sends the current
/// session and restarts its timeout; a 401 drops the session.
open class ServerAgent<Base: Transport>: HTTPAgent<Base>, @unchecked Sendable {
    /// The app scope: base URL and session.
    public let scope: AKAppScope

    /// Creates an agent over a transport, for a scope.
    public init(transport: Base, scope: AKAppScope) {
        self.scope = scope
        super.init(transport: transport)
    }

    /// Creates an agent over a transport, for ``AKAppScope/shared``.
    public override convenience init(transport: Base) { self.init(transport: transport, scope: .shared) }

    /// Returns the URL of an endpoint below the scope's base URL.
    /// - Throws: ``AKError`` (`configuration`) without a base URL; `HTTPMessageError` if the endpoint is invalid in a
    ///   URL or is an absolute URL.
    open override func url(for endpoint: String) throws -> RequestURL {
        try (scope.preparedState?.baseURL ?? scope.baseURL).appending(endpoint)
    }

    /// Adds default media types, session header and device header, unless the data has its own.
    open override func prepare(_ data: RequestData) throws -> RequestData {
        let state = scope.preparedState ?? scope.currentState
        var data = data
        if !data.fields.contains(.accept) { try data.fields.append(.accept, "application/json") }
        if data.body.mediaType == nil, !data.fields.contains(.contentType) {
            try data.fields.append(.contentType, "application/json")
        }
        if let session = state.session, data.fields[sessionHeader] == nil {
            try data.fields.append(sessionHeader, session.token)
        }
        if let deviceID = state.deviceID, data.fields[deviceHeader] == nil {
            try data.fields.append(deviceHeader, deviceID)
        }
        return data
    }

    override func prepareCall<Output>(_ prepare: () throws -> Output) rethrows -> Output {
        try scope.prepareCall(prepare)
    }

    /// The login, which stays with the next token of the user; the token itself, if the app has set it.
    override func user(ofToken token: String) -> String {
        (scope.preparedState ?? scope.currentState).login(ofToken: token) ?? super.user(ofToken: token)
    }

    override func willSend(_ request: HTTPRequest) -> (@Sendable (HTTPResponseHead) -> Void)? {
        guard let token = request.fields[sessionHeader] else { return nil }
        scope.restartTimeout(ofToken: token)
        return { [scope] head in
            if head.status == .unauthorized, head.stayed(at: request.origin) { scope.end(token: token) }
        }
    }
}

let sessionHeader = "X-Ak-Session-Id"
let deviceHeader = "X-Ak-Device-Id"

extension ServerAgent where Base == AnyTransport {
    /// Creates an agent over a transport of its own, for a scope: a stack of layers, or a fake one in tests.
    public convenience init(transport: some Transport, scope: AKAppScope) {
        self.init(transport: AnyTransport(transport), scope: scope)
    }

    /// Sets the base URL of ``AKAppScope/shared``. Call it once, before its agents are used.
    ///
    /// With an invalid URL every call fails with `configuration`; ``AKAppScope/initialize(_:)`` throws
    /// instead.
    public static func initialize(_ baseURL: String) { try? AKAppScope.shared.initialize(baseURL) }
}
