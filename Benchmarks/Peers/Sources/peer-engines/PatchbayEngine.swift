import Foundation
import HTTPMessages
import Patchbay
import Transport

/// This package's client, with its standard layers over one of its engines, and Foundation's coders as its peer.
struct PatchbayEngine<Engine: StreamingTransport>: MeasuredEngine {
    let name: String
    private let client: APIClient
    private let engine: Engine
    private let streamingURL: String

    init(_ name: String, _ engine: Engine, _ server: ServerProcess) throws {
        self.name = name
        self.engine = engine
        client = try APIClient(server.url, over: .standard(over: engine)) {
            $0.json = JSONFormat(decoder: JSONDecoder(), encoder: JSONEncoder())
        }
        streamingURL = server.streamingURL
    }

    func get() async throws -> Item { try await client.get("item") }

    func post(_ item: Item) async throws -> Item { try await client.post("item", json: item) }

    /// Reads by the engine alone.
    func read(byteCount: Int) async throws -> Int {
        var count = 0
        let request = try HTTPRequest(.get, streamingURL + "/down?\(byteCount)")
        for try await chunk in try await engine.stream(request).body { count += chunk.count }
        return count
    }
}
