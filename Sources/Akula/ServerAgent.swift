import HTTPMessages
public import RequestModel
public import Transport

/// The vendor's agent for the Akula server, over the network.
public typealias AKServerAgent = ServerAgent<URLSessionTransport>

/// Makes requests to the endpoints of an app scope on an Akula server.
///
/// ```swift
/// AKServerAgent.initialize("https://example.com/akula/myServerApp")
/// let agent = AKServerAgent()
/// agent.get("/data/jsonData", delegate: handler)
/// ```
/// An endpoint is joined to the base URL as it is, with one slash between. `Accept` and `Content-Type` are
/// `application/json` unless the agent's data, the call's or the kind of body say otherwise. While somebody is logged
/// in, the session goes with every call and its timeout starts anew; a 401 drops it.
open class ServerAgent<Base: Transport>: HTTPAgent<Base>, @unchecked Sendable {
    /// The app scope: base URL and session.
    public let scope: AKAppScope

    /// An agent over a transport, for the scope of the whole program or one of its own.
    public init(transport: Base, scope: AKAppScope) {
        self.scope = scope
        super.init(transport: transport)
    }

    /// An agent over a transport, for the scope of the whole program.
    public override convenience init(transport: Base) { self.init(transport: transport, scope: .shared) }

    /// The URL of an endpoint below the scope's base URL.
    /// - Throws: ``AKError`` (`configuration`) without a base URL; `HTTPMessageError` when the endpoint cannot be part
    ///   of a URL, or is a whole URL.
    open override func url(for endpoint: String) throws -> RequestURL { try scope.baseURL.appending(endpoint) }

    /// Adds the server's media types, the session and the device's name, where the data has none of its own.
    open override func prepare(_ data: RequestData) throws -> RequestData {
        var data = data
        if !data.fields.contains(.accept) { try data.fields.append(.accept, "application/json") }
        if data.body.mediaType == nil, !data.fields.contains(.contentType) {
            try data.fields.append(.contentType, "application/json")
        }
        if let session = scope.sessionForCall(), data.fields[sessionHeader] == nil {
            try data.fields.append(sessionHeader, session.token)
        }
        if let deviceID = scope.deviceID, data.fields[deviceHeader] == nil {
            try data.fields.append(deviceHeader, deviceID)
        }
        return data
    }

    override func responseHandler(for request: HTTPRequest) -> (@Sendable (AKHTTPResponse) -> Void)? {
        guard let token = request.fields[sessionHeader] else { return nil }
        return { [scope] response in
            if response.status == .unauthorized { scope.end(token: token) }
        }
    }
}

let sessionHeader = "X-Ak-Session-Id"
let deviceHeader = "X-Ak-Device-Id"

extension ServerAgent where Base == URLSessionTransport {
    /// An agent over the network, for the scope of the whole program.
    public convenience init() { self.init(transport: .shared, scope: .shared) }

    /// Sets the base URL of the program's app scope, once, before its agents are used.
    ///
    /// One that cannot be used makes every call fail with ``AKError/Code/configuration``, which says why.
    /// ``AKAppScope/initialize(_:)`` tells at once.
    public static func initialize(_ baseURL: String) { try? AKAppScope.shared.initialize(baseURL) }
}
