import Foundation
import HTTPMessages
import PatchbayErrors
import Transport

extension CurlTransport {
    /// Connects, and asks the server to switch protocols, over HTTP/1.1.
    ///
    /// The connection has no slot of its origin once it is open.
    func upgrade(_ request: HTTPRequest, to protocolName: String, _ observer: (any TransferObserver)?) async throws
        -> HTTPResponse
    {
        guard request.body.isEmpty, protocolName.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TransportError(
                .unsupported, "An upgrade needs a request without a body, and the name of a protocol.", request: request
            )
        }
        switch request.options.httpVersion {
        case nil, .http1: break
        case let version?:
            throw TransportError(
                .unsupported, "An upgrade needs HTTP/1.1; remove the option `httpVersion = .\(version)`.",
                request: request)
        }
        let clock = client.clock
        let start = clock.now
        let (connection, report) = try await connect(request)
        let timeouts = request.options.timeouts
        let exchange = UpgradeExchange(
            request, RequestTarget(request, acceptEncoding: ""), protocolName: protocolName)
        let deadlines =
            [timeouts.response.map { (clock.now + $0, Timeouts.Phase.response) }]
            + [timeouts.total.map { (start + $0, Timeouts.Phase.total) }]
        let deadline = deadlines.compactMap(\.self).min { $0.0 < $1.0 }
        var response: HTTPResponse
        let rest: Data
        do {
            (response, rest) = try await clock.limit(to: deadline?.0) {
                var exchange = exchange
                return try await exchange.run(over: connection)
            } orThrow: {
                var error = TransportError(
                    .timedOut, "Timed out: no response to the upgrade in time.", request: request)
                error.phase = deadline?.1
                error.timeout = deadline.flatMap { timeouts[$0.1] }
                return error
            }
        } catch  where error.isCancellation {
            throw TransportError.cancelled(request)
        }
        response.head.transferReport = report
        if response.status.code == 101 {
            connection.unread(rest)
            response.head.upgradedStream = .bytes(connection)
        } else {
            connection.close()
        }
        observer?.transfer(didEmit: .head(response.head))
        return response
    }

    private func connect(_ request: HTTPRequest) async throws -> (CurlConnection, TransferReport?) {
        let id = Call.makeID()
        let pipe = SocketPipe()
        let connected = try await response(id, prepare(request, id), nil) { .connected($0, pipe) }
        return (CurlConnection(id, client, pipe), connected.head.transferReport)
    }
}

extension EngineClock {
    /// Runs `body` until a deadline, after which it is cancelled.
    fileprivate func limit<Result: Sendable>(
        to deadline: Duration?, _ body: @escaping @Sendable () async throws -> Result,
        orThrow error: @escaping @Sendable () -> TransportError
    ) async throws -> Result {
        guard let deadline else { return try await body() }
        return try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await body() }
            group.addTask { [self] in
                while now < deadline {
                    if let sleep { try await sleep(deadline) } else { try await Task.sleep(for: deadline - now) }
                }
                throw error()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw error() }
            return result
        }
    }
}
