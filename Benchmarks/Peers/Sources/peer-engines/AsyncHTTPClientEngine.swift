import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// AsyncHTTPClient with its default settings, and connections for all requests that are in flight.
struct AsyncHTTPClientEngine: MeasuredEngine {
    /// A response whose status is not 200.
    struct UnexpectedStatus: Error {
        let code: UInt
    }

    let name = "AsyncHTTPClient"
    private let client: HTTPClient
    private let url: String
    private let streamingURL: String
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()

    init(_ server: ServerProcess) throws {
        var configuration = HTTPClient.Configuration()
        // The default of URLSessionTransport; 8 would make the requests in flight wait.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        url = server.url + "/item"
        streamingURL = server.streamingURL
    }

    func get() async throws -> Item { try await item(HTTPClientRequest(url: url)) }

    func post(_ item: Item) async throws -> Item {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(try encoder.encodeAsByteBuffer(item, allocator: ByteBufferAllocator()))
        return try await self.item(request)
    }

    func read(byteCount: Int) async throws -> Int {
        var count = 0
        let response = try await response(to: HTTPClientRequest(url: streamingURL + "/down?\(byteCount)"))
        for try await buffer in response.body { count += buffer.readableBytes }
        return count
    }

    func shutdown() async throws { try await client.shutdown() }

    private func item(_ request: HTTPClientRequest) async throws -> Item {
        var request = request
        request.headers.add(name: "Accept", value: "application/json")
        return try decoder.decode(Item.self, from: try await response(to: request).body.collect(upTo: 1 << 20))
    }

    private func response(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let response = try await client.execute(request, timeout: .minutes(10))
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        return response
    }
}
