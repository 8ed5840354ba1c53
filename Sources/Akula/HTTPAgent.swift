public import Delegation
import HTTPMessages
public import RequestModel
import Synchronization
public import Transport

/// The vendor's agent for any URL, over the transport that ``HTTPAgent/configure(transport:)`` sets.
public typealias AKHTTPAgent = HTTPAgent<AnyTransport>

/// A started call, which can be cancelled.
public typealias AKCall = CallHandle

/// Sends HTTP requests to absolute URLs: async, blocking, or with a delegate or closure.
///
/// ```swift
/// let agent = AKHTTPAgent()
/// agent.requestData.addHeader("X-Client", value: "7")
/// let response = try agent.getSync("https://example.com/items")
/// ```
/// For another kind of server, subclass it, override ``url(for:)`` and ``prepare(_:)``, and mark the subclass
/// `@unchecked Sendable`. Thread-safe.
open class HTTPAgent<Base: Transport>: @unchecked Sendable {
    // Unchecked because the compiler cannot check an open class. All state here is constant or locked; each subclass
    // declares the same for its own state.

    /// The transport that sends the requests.
    public let transport: Base

    private struct State {
        var requestData = AKHTTPRequestData()
        var delivery = Delivery.main
    }
    private let state = Mutex(State())

    /// Creates an agent over a transport of its own.
    public init(transport: Base) { self.transport = transport }

    /// Data sent with every call; initially empty.
    public var requestData: AKHTTPRequestData {
        get { state.withLock(\.requestData) }
        set { state.withLock { $0.requestData = newValue } }
    }

    /// Where delegates and closures are called; default the main queue. A change affects later calls.
    public var delivery: Delivery {
        get { state.withLock(\.delivery) }
        set { state.withLock { $0.delivery = newValue } }
    }

    /// Returns the URL of an endpoint. In this class an endpoint is an absolute URL.
    ///
    /// Called once for each call, on the caller's thread.
    /// - Throws: an error with which the call fails.
    open func url(for endpoint: String) throws -> RequestURL { try RequestURL(endpoint) }

    /// Adjusts the merged data of agent and call. In this class it is returned unchanged.
    ///
    /// Called once for each call, on the caller's thread.
    /// - Throws: an error with which the call fails.
    open func prepare(_ data: RequestData) throws -> RequestData { data }

    /// Prepares a call. A subclass sets what it depends on.
    func prepareCall<Output>(_ prepare: () throws -> Output) rethrows -> Output { try prepare() }

    /// The user of a session, as caches and resumed downloads tell users apart. Here only the token is known.
    func user(ofToken token: String) -> String { "session \(token)" }

    /// Gets the request of a call before it is sent. Returns a handler that runs on the head of the response before it
    /// is delivered, or nil.
    func willSend(_ request: HTTPRequest) -> (@Sendable (HTTPResponseHead) -> Void)? { nil }
}
