import Foundation
import HTTPMessages
public import PatchbayTestKit

extension HyperHiveService {
    /// Starts a server that streams the tables of this service while they are produced, and performs all faults.
    ///
    /// ```swift
    /// let service = HyperHiveService()
    /// let server = try service.startServer()
    /// try await server.stopping { server in … }
    /// ```
    /// - Parameter port: the port to listen on; 0 picks a free one.
    /// - Throws: `LoopbackError` (`cannotListen`).
    public func startServer(
        port: Int = 0, limits: LoopbackServer.Limits = .init()
    ) throws(LoopbackError) -> LoopbackServer {
        try LoopbackServer(port: port, limits: limits, connections: { try await self.serve($0) })
    }

    private func serve(_ connection: RawConnection) async throws {
        while let received = try connection.receiveRequest() {
            guard try await respond(to: received, on: connection) else { return }
        }
    }

    /// - Returns: false when the connection is closed.
    private func respond(to received: RecordedRequest, on connection: RawConnection) async throws -> Bool {
        guard let request = received.httpRequest else {
            let refusal = ClosureService { $0.response(.badRequest) }
            return try await connection.respond(to: received, with: refusal)
        }
        let delivery = try await delivery(of: request)
        do {
            return try await send(delivery, to: received, request, on: connection)
        } catch {
            remember(lossOf: delivery)
            throw error
        }
    }

    private func send(
        _ delivery: Delivery, to received: RecordedRequest, _ request: HTTPRequest, on connection: RawConnection
    ) async throws -> Bool {
        let response = delivery.response
        switch delivery.interruption {
        case .close(nil): throw InterruptedDelivery()
        case .wait(let gate, nil): try await gate.wait()
        case .close, .wait, nil: break
        }
        var fields = try response.headerFields(for: request)
        if response.isEmpty || request.method == .head {
            if !response.isEmpty { try fields.set(.transferEncoding, to: "chunked") }
            let head = HTTPResponse(status: response.status, fields: fields, url: request.url)
            return try await connection.respond(to: received, with: ClosureService { _ in head })
        }
        let closes = received.closesConnection
        try connection.send(response.status.head(fields, closes: closes))
        var body = try InterruptedBody(delivery)
        while let chunk = try await body.next() { try connection.send(chunk: chunk) }
        guard !body.isCut else { throw InterruptedDelivery() }
        try connection.send(chunk: Data())
        return !closes
    }
}

/// The chunks of a response's body, up to a cut.
private struct InterruptedBody {
    private let reader: (any HTTPBodyReader)?
    private let interruption: HyperHiveService.Delivery.Interruption?
    private var sent = 0
    private(set) var isCut = false

    init(_ delivery: HyperHiveService.Delivery) throws {
        reader = try delivery.response.body.makeReader()
        interruption = delivery.interruption
    }

    mutating func next() async throws -> Data? {
        let stop: Int? =
            switch interruption {
            case .close(let count?), .wait(_, let count?): count
            case .close, .wait, nil: nil
            }
        let remaining = stop.map { $0 - sent } ?? .max
        var count = 64 << 10
        if remaining > 0 { count = min(count, remaining) }
        guard let chunk = try reader?.read(atMost: count) else { return nil }
        if remaining == 0 {
            switch interruption {
            case .close:
                isCut = true
                return nil
            case .wait(let gate, _): try await gate.wait()
            case nil: break
            }
        }
        sent += chunk.count
        return chunk
    }
}

extension HTTPStatus {
    /// Status line and fields of a chunked response.
    fileprivate func head(_ fields: HTTPFields, closes: Bool) -> String {
        var lines = ["HTTP/1.1 \(code) \(reasonPhrase)"] + fields.map { "\($0.name.rawName): \($0.value)" }
        if closes { lines.append("Connection: close") }
        return (lines + ["Transfer-Encoding: chunked", "", ""]).joined(separator: "\r\n")
    }
}

extension RecordedRequest {
    fileprivate var closesConnection: Bool { fields[.connection]?.lowercased() == "close" }

    /// Nil for a request that `HTTPRequest` does not allow.
    fileprivate var httpRequest: HTTPRequest? {
        let url = "http://\(fields[.host] ?? "localhost")\(target)"
        guard let method = try? HTTPMethod(method) else { return nil }
        return try? HTTPRequest(method, url, fields: fields, body: body.isEmpty ? .empty : .bytes(body))
    }
}
