import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Transport

extension Harness {
    /// Measures an Akula call without a network: merge, encode, send, decode, deliver.
    func overhead() async throws -> [Figure] {
        let operations = count(50_000)
        let fields = try HTTPFields(["Content-Type": "application/json"])
        let transport = FakeTransport { $0.response(fields: fields, body: ServerProcess.responseBody) }
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        let agent = ServerAgent(transport: transport, scope: try AKAppScope("http://127.0.0.1/akula/app"))
        agent.delivery = .inline
        agent.requestData.addHeader("X-Client", value: "7")
        agent.requestData.addQueryParameter("region", value: "north")
        let data = AKHTTPRequestData()
        data.addQueryParameter("region", value: "east")
        let bare = {
            for _ in 0..<operations {
                let response = try await transport.send(request)
                _ = try JSONValue(parsing: response.body)
            }
        }
        func waiting() throws { _ = try agent.getSync("/data/item", requestData: data).json() }
        let baseline = "fake transport and JSON parser alone"
        return [
            try await compare(
                "Akula GET over a fake, awaited", operations: operations, against: baseline,
                subject: {
                    for _ in 0..<operations { _ = try await agent.get("/data/item", requestData: data, as: .jsonValue) }
                }, baseline: bare),
            try await compare(
                "Akula GET over a fake, for a delegate", operations: operations, against: baseline,
                subject: {
                    // In batches: single calls would measure the wake-up time of a sleeping thread.
                    for first in stride(from: 0, to: operations, by: 32) {
                        let calls = (first..<min(first + 32, operations)).map { _ in
                            agent.get("/data/item", requestData: data, delegate: AKJSONHTTPResponseHandler())
                        }
                        for call in calls { await call.wait() }
                    }
                }, baseline: bare),
            try await compare(
                "Akula GET over a fake, synchronous", operations: operations, against: baseline,
                subject: {
                    for _ in 0..<operations { try waiting() }
                }, baseline: bare),
        ]
    }
}
