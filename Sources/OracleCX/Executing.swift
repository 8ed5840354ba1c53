import Coordination
import HTTPMessages
import Transport

/// A layer that sends requests in child tasks on an executor. The calling task continues on its own executor.
struct Executing<Base: Transport>: Transport {
    let base: Base
    let executor: any TaskExecutor

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await executor.runChildTask { try await base.send(request, observer: observer) }
    }
}

extension Executing: StreamingTransport where Base: StreamingTransport {
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await executor.runChildTask { try await base.stream(request, observer: observer) }
    }
}
