public import Foundation
public import HTTPMessages
public import Queueing
public import RequestModel
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
    public var headers: HTTPFields {
        get { fields }
        set { fields = newValue }
    }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use options.timeouts.total")
    public var timeout: Duration? {
        get { options.timeouts.total }
        set { options.timeouts.total = newValue }
    }
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
    public var headers: HTTPFields {
        get { fields }
        set { fields = newValue }
    }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use options.timeouts")
    public var timeout: Duration? {
        get { options.timeouts.total }
        set { options.timeouts.total = newValue }
    }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "pass the base URL as a text: try APIClient(\"https://api.example.com\")")
    public init(baseURL: URL, over stack: Stack = .standard) throws(HTTPMessageError) {
        try self.init(baseURL.absoluteString, over: stack)
    }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "the type of the result chooses: let item: Item = try await client.get(...)")
    public func get<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], as type: Value.Type
    ) async throws -> Value { throw CancellationError() }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "pass a path below the base URL, or use a client of the URL's host")
    public func get<Value>(_ url: URL) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "pass a path below the base URL, or use a client of the URL's host")
    @discardableResult
    public func get(_ url: URL) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "use fields: [\"Accept\": ...]")
    public func get<Value>(
        _ path: RequestPath, query: Query = [:], headers: [String: String]
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use fields: [\"Accept\": ...]")
    @discardableResult
    public func get(
        _ path: RequestPath, query: Query = [:], headers: [String: String]
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    @available(*, unavailable, message: "use query: [\"page\": ...]")
    public func get<Value>(
        _ path: RequestPath, parameters: [String: Any]
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @available(*, unavailable, message: "use query: [\"page\": ...]")
    @discardableResult
    public func get(
        _ path: RequestPath, parameters: [String: Any]
    ) async throws -> HTTPResponse { throw CancellationError() }
}

// A dictionary of values of several types, which is not Encodable. The message of an extension is that of its members.

@available(
    *, unavailable,
    message: "pass an Encodable type, or a literal as JSONValue; a variable in it is JSONValue(count)"
)
extension APIClient {
    /// Unavailable; see the message.
    public func post<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func put<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func patch<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}

@available(
    *, unavailable,
    message: "pass an Encodable type, or a literal as JSONValue; a variable in it is JSONValue(count)"
)
extension EndpointRequest {
    /// Unavailable; see the message.
    public static func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) -> Self { Self(.post, path) }
    /// Unavailable; see the message.
    public static func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) -> Self { Self(.put, path) }
    /// Unavailable; see the message.
    public static func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: [String: Any],
        timeout: Duration? = nil
    ) -> Self { Self(.patch, path) }
}

@available(
    *, unavailable,
    message: "pass an Encodable type, or a literal as JSONValue; a variable in it is JSONValue(count)"
)
extension EndpointBody {
    /// Unavailable; see the message.
    public static func json(_ value: [String: Any]) -> EndpointBody { .empty }
}

// A value as the body, without the label that encodes it.

@available(
    *, unavailable,
    message: "write json: for a value as JSON; body: takes .form(...), .text(...), .bytes(...) and others"
)
extension APIClient {
    /// Unavailable; see the message.
    public func post<Value>(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func post(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func post<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func put<Value>(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func put(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func put<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func patch<Value>(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func patch(
        _ path: RequestPath, _ value: some Encodable
    ) async throws -> HTTPResponse { throw CancellationError() }

    /// Unavailable; see the message.
    public func patch<Value>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> Value { throw CancellationError() }
    /// Unavailable; see the message.
    @discardableResult
    public func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], body: Any,
        timeout: Duration? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
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

    /// Unavailable; see the message.
    @available(*, unavailable, message: "set options.timeouts of a client, or pass timeout: to a call")
    public func timeout(_ duration: Duration) -> Stack { self }
}
