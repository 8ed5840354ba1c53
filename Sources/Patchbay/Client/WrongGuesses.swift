public import Foundation
public import HTTPMessages
public import Queueing
public import Transport

// Names of other libraries that people type first. The compiler's message says what to write.

extension HTTPResponse {
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use decoded(as: .json(Item.self)), or client.get, which decodes")
    public func json<Value>(_ type: Value.Type = Value.self) throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use decoded(as: .text()), or let text: String = try await client.get(...)")
    public var text: String { "" }
    /// Unavailable; see the message.
    @available(*, unavailable, renamed: "body")
    public var data: Data { body }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use status.code, or compare: status == 404")
    public var statusCode: Int { status.code }
    /// Unavailable; see the message.
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fields }
}

extension HTTPRequest {
    /// Unavailable; see the message.
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fields }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use options.timeouts.total")
    public var timeout: Duration? { options.timeouts.total }
}

extension TransportError {
    /// Unavailable; see the message.
    @available(*, unavailable, message: "match the code: catch TransportError.Code.timedOut")
    public static var timedOut: Code { .timedOut }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use catch where error.isCancellation")
    public static var cancelled: Code { .cancelled }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "match the code: catch TransportError.Code.connectionLost")
    public static var connectionLost: Code { .connectionLost }
}

extension APIClient {
    /// Unavailable; see the message.
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fields }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use options.timeouts")
    public var timeout: Duration? { options.timeouts.total }
}

extension Transport {
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use retrying(.standard(attempts: 4)), which counts the first attempt too")
    public func retrying(times: Int) -> Retrying<Self, StandardRetry> { retrying(.standard) }
}

extension Stack {
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use retrying(.standard(attempts: 4)), which counts the first attempt too")
    public func retrying(times: Int) -> Stack { self }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "use observing(by:), which observes attempts too")
    public func observingAttempts(by monitor: EventMonitor) -> Stack { self }
}
