public import Delegation
import HTTPMessages
public import RequestModel
import Synchronization
public import Transport

/// The vendor's agent for any URL, over the network.
public typealias AKHTTPAgent = HTTPAgent<URLSessionTransport>

/// A call that was started for a delegate.
public typealias AKCall = CallHandle

/// Makes HTTP requests to any absolute URL: synchronous, for a delegate, and asynchronous.
///
/// ```swift
/// let agent = AKHTTPAgent()
/// agent.requestData.addHeader("X-Client", value: "7")
/// let response = try agent.getSync("https://example.com/items")
/// ```
/// The program's own agents for other kinds of servers are subclasses that override ``url(for:)`` and
/// ``prepare(_:)``, and say `@unchecked Sendable` for themselves. An agent may be used from any thread, and several at once.
open class HTTPAgent<Base: Transport>: @unchecked Sendable {
    // Unchecked because a class that others may subclass cannot be checked; all state here is constant or locked, and
    // a subclass has to say for itself that its own is.

    /// What carries the requests.
    public let transport: Base

    private struct State {
        var requestData = AKHTTPRequestData()
        var delivery = Delivery.main
    }
    private let state = Mutex(State())

    /// An agent over a transport, such as a fake one.
    public init(transport: Base) { self.transport = transport }

    /// What goes with every call; empty at first.
    public var requestData: AKHTTPRequestData {
        get { state.withLock(\.requestData) }
        set { state.withLock { $0.requestData = newValue } }
    }

    /// Where delegates and closures are called; default the main queue.
    public var delivery: Delivery {
        get { state.withLock(\.delivery) }
        set { state.withLock { $0.delivery = newValue } }
    }

    /// The URL of an endpoint. Here the endpoint is an absolute URL itself.
    ///
    /// Called once for each call, on the caller's thread.
    /// - Throws: an error with which the call fails.
    open func url(for endpoint: String) throws -> RequestURL { try RequestURL(endpoint) }

    /// The data of a call, after the agent's and the call's own have been combined. Here it stays as it is.
    ///
    /// Called once for each call, on the caller's thread.
    /// - Throws: an error with which the call fails.
    open func prepare(_ data: RequestData) throws -> RequestData { data }

    /// What has to happen when the response to a request has come, before anybody hears of it.
    func responseHandler(for request: HTTPRequest) -> (@Sendable (AKHTTPResponse) -> Void)? { nil }
}

extension HTTPAgent where Base == URLSessionTransport {
    /// An agent over the network. All such agents share their connections.
    public convenience init() { self.init(transport: .shared) }
}
