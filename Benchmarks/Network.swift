import Akula
import Foundation
import HTTPMessages
import ResponseDecoding
import Transport

struct Item: Decodable, Sendable {
    let id: Int
    let name: String
    let price: Double
    let tags: [String]
    let stock: Int
}

extension Harness {
    /// Compares an Akula call over the network with a bare session and the same decoding.
    func network(_ server: ServerProcess, inFlight: Int) async throws -> Figure {
        let operations = count(inFlight == 1 ? 1500 : 5000)
        let agent = ServerAgent(transport: URLSessionTransport(), scope: try AKAppScope(server.url + "/akula/app"))
        let url = try URL(httpString: server.url + "/akula/app/data/item?region=east")
        let bare = BareURLSession(connections: URLSessionTransport.Configuration().maximumConnectionsPerOrigin)
        let fields = ["Accept": "application/json", "Content-Type": "application/json"]
        agent.requestData.addQueryParameter("region", value: "east")
        return try await compare(
            "Akula GET, decoded, \(inFlight) in flight", operations: operations,
            against: "bare URLSession data task, same request and decoding",
            subject: {
                try await repeating(operations, inFlight: inFlight) {
                    _ = try await agent.get("/data/item", as: .json(Item.self))
                }
            },
            baseline: {
                try await repeating(operations, inFlight: inFlight) {
                    _ = try JSONDecoder().decode(Item.self, from: try await bare.get(url, fields: fields))
                }
            })
    }
}
