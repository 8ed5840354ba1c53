public import HTTPMessages
public import Queueing
public import Transport

// Names of other libraries that people type first. The compiler's message says what to write.

extension HTTPResponse {
    @available(*, unavailable, message: "use decoded(as: .json(Item.self)), or client.get, which decodes")
    public func json<Value>(_ type: Value.Type = Value.self) -> Value { fatalError() }
    @available(*, unavailable, message: "use decoded(as: .text()), or let text: String = try await client.get(...)")
    public var text: String { fatalError() }
    @available(*, unavailable, renamed: "body")
    public var data: Never { fatalError() }
    @available(*, unavailable, message: "use status.code, or compare: status == 404")
    public var statusCode: Int { fatalError() }
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fatalError() }
}

extension HTTPRequest {
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fatalError() }
    @available(*, unavailable, message: "use options.timeouts.total")
    public var timeout: Duration { fatalError() }
}

extension APIClient {
    @available(*, unavailable, renamed: "fields")
    public var headers: HTTPFields { fatalError() }
    @available(*, unavailable, message: "use options.timeouts")
    public var timeout: Duration { fatalError() }
}

extension Transport {
    @available(*, unavailable, message: "use retrying(.standard(attempts: 4)), which counts the first attempt too")
    public func retrying(times: Int) -> Retrying<Self, StandardRetry> { fatalError() }
}

extension Stack {
    @available(*, unavailable, message: "use retrying(.standard(attempts: 4)), which counts the first attempt too")
    public func retrying(times: Int) -> Stack { fatalError() }
}
