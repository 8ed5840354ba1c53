public import Foundation
public import Transport

// Names from the Android and JavaScript clients, and likely spellings. Each is a compile error with the correct name.

/// Android's spelling.
@available(*, unavailable, renamed: "AKHTTPAgent")
public typealias AKHttpAgent = AKHTTPAgent
/// Android's spelling.
@available(*, unavailable, renamed: "AKHTTPRequestData")
public typealias AKHttpRequestData = AKHTTPRequestData
/// Android's spelling.
@available(*, unavailable, renamed: "AKHTTPBody")
public typealias AKHttpBody = AKHTTPBody
/// Android's spelling.
@available(*, unavailable, renamed: "AKJSONHTTPBody")
public typealias AKJsonHttpBody = AKJSONHTTPBody
/// Android's interface for the response of an asynchronous call.
@available(*, unavailable, renamed: "AKHTTPResponseDelegate")
public typealias AKHttpResponseHandler = AKHTTPResponseDelegate
/// Android's spelling.
@available(*, unavailable, renamed: "AKJSONHTTPResponseHandler")
public typealias AKJsonHttpResponseHandler = AKJSONHTTPResponseHandler
/// Android's spelling.
@available(*, unavailable, renamed: "AKTextHTTPResponseHandler")
public typealias AKTextHttpResponseHandler = AKTextHTTPResponseHandler
/// Android's spelling.
@available(*, unavailable, renamed: "AKRawHTTPResponseHandler")
public typealias AKRawHttpResponseHandler = AKRawHTTPResponseHandler
/// Queued calls of the vendor's release 2.
@available(
    *, unavailable,
    message: "send the calls with an AKServerAgent, or by an Outbox, which sends them once, also after a restart"
)
public typealias AKTransactionServerAgent = AKServerAgent
/// The state of a queued call of the vendor's release 2.
@available(
    *, unavailable,
    message: "send the calls with an AKServerAgent, or by an Outbox, which sends them once, also after a restart"
)
public typealias AKTransactionStatus = AKHTTPResponse

extension ServerAgent where Base == AnyTransport {
    /// The base URL is set on the shared app scope, not on an agent.
    @available(
        *, unavailable, message: "call AKServerAgent.initialize(_:) with the base URL once, then use AKServerAgent()"
    )
    public convenience init(baseURL: Any) { self.init() }
    /// Android's `init`, which sets the base URL.
    @available(
        *, unavailable, message: "call AKServerAgent.initialize(_:) with the base URL once, then use AKServerAgent()"
    )
    public convenience init(_ baseURL: Any) { self.init() }
    /// Another label.
    @available(*, unavailable, renamed: "initialize(_:)")
    public static func initialize(baseURL: String) {}
    /// A URL instead of a string.
    @available(*, unavailable, message: "pass the URL as a string: AKServerAgent.initialize(url.absoluteString)")
    public static func initialize(_ baseURL: URL) {}
}

extension HTTPAgent {
    /// Android's accessor.
    @available(*, unavailable, renamed: "requestData")
    public func getAgentRequestData() -> AKHTTPRequestData { requestData }
    /// JavaScript's name for DELETE.
    @available(*, unavailable, renamed: "delete(_:requestData:options:observer:delegate:)")
    public func del(_ endpoint: String, requestData: AKHTTPRequestData? = nil, delegate: Any? = nil) {}
}

extension AKHTTPRequestData {
    /// Android's setter.
    @available(*, unavailable, message: "set the property 'bodyData'")
    public func setBodyData(_ body: Any?) {}
    /// Another name.
    @available(*, unavailable, renamed: "bodyData")
    public var body: (any AKHTTPBody)? { bodyData }
    /// Another name.
    @available(*, unavailable, renamed: "addHeader(_:value:)")
    public func setHeader(_ name: String, value: String) {}
    /// Another name.
    @available(*, unavailable, renamed: "addQueryParameter(_:value:)")
    public func addParameter(_ name: String, value: String) {}
    /// Another name.
    @available(*, unavailable, renamed: "addQueryParameter(_:value:)")
    public func addURLParameter(_ name: String, value: String) {}
}

extension AKHTTPResponse {
    /// Another name.
    @available(*, unavailable, renamed: "data")
    public var body: Data { data }
    /// Another name.
    @available(*, unavailable, renamed: "headers")
    public var allHeaderFields: [AnyHashable: Any] { [:] }
}

extension AKError {
    /// JavaScript's name.
    @available(*, unavailable, renamed: "statusCode")
    public var httpStatus: Int? { statusCode }
}

extension AKHTTPResponseHandler {
    /// Another name.
    @available(*, unavailable, renamed: "onDone")
    public var onComplete: (() -> Void)? {
        get { onDone }
        set {}
    }
}

extension AKJSONHTTPResponseHandler {
    /// A JSON response is an object or an array.
    @available(*, unavailable, message: "set 'onObject' and 'onArray'")
    public var onSuccess: (([String: Any]?, Int) -> Void)? {
        get { onObject }
        set {}
    }
}
