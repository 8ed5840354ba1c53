import Foundation
import HTTPMessages
import Signing

extension Harness {
    /// Measures what a signature of a GET costs beside the cryptographic operation alone (RFC 9421).
    func signing() async throws -> [Figure] {
        let operations = count(5000)
        let request = try HTTPRequest(
            .get, "https://api.example.com/orders/17?include=lines",
            fields: HTTPFields(["Accept": "application/json", "User-Agent": "shop/1.0"]))
        // The bytes that are signed for these components.
        let base = Data(repeating: 0x61, count: 250)
        var figures: [Figure] = []
        for algorithm in [SignatureAlgorithm.ed25519, .ecdsaP256SHA256, .ecdsaP384SHA384, .hmacSHA256] {
            let key = try SigningKey.generate(algorithm, id: "orders-2026")
            let signature = HTTPMessageSignature(key, components: [.method, .targetURI, .authority])
            figures.append(
                try await compareTimes(
                    "Signature of a GET, \(algorithm.rawValue)", operations: operations, against: "the operation alone",
                    subject: {
                        try await cpuSeconds {
                            for _ in 0..<operations {
                                var signed = request
                                try await signature.sign(&signed, at: Date())
                            }
                        }
                    },
                    baseline: {
                        try cpuSeconds { for _ in 0..<operations { _ = try key.signature(of: base) } }
                    }))
        }
        return figures
    }
}
