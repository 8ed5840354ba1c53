import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Signing
@testable import SystemLibraries

@Suite struct KeyFuzzTests {
    /// More rounds by `PATCHBAY_PARSER_ROUNDS`.
    private let rounds = ProcessInfo.processInfo.environment["PATCHBAY_PARSER_ROUNDS"].flatMap { Int($0) } ?? 2000

    @Test func `changed and truncated keys are errors or other keys, without a trap`() throws {
        var random = SeededGenerator(seed: 5958)
        let seeds = try [
            ExampleKeys.p256().secretRepresentation, ExampleKeys.ed25519().secretRepresentation,
            SigningKey.generate(.rsaPSSSHA512).secretRepresentation,
            ExampleKeys.p384().secretRepresentation, #require(ExampleKeys.p384().verificationKey.der),
            #require(ExampleKeys.p256().verificationKey.der), #require(ExampleKeys.rsaPublic().der),
            #require(PEMText(ExampleKeys.p256PEM, labels: ["EC PRIVATE KEY"])).data,
        ]
        for round in 0..<rounds {
            var bytes = [UInt8](seeds[round % seeds.count])
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<min(bytes.count, 40), using: &random)] = UInt8.random(
                    in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            let data = Data(bytes)
            if let contents = PrivateKeyContents(der: data) {
                #expect(PrivateKeyContents(der: contents.der) == contents)
            }
            if let contents = PublicKeyContents(der: data) {
                #expect(PublicKeyContents(der: contents.der) == contents)
            }
            for curve in EllipticCurve.allCases {
                if let raw = ECDSASignature.raw(der: bytes, on: curve) { #expect(raw.count == 2 * curve.size) }
            }
            if round % 16 == 0 {
                _ = try? SigningKey(der: data)
                _ = try? VerificationKey(der: data)
            }
        }
    }

    @Test func `queries and paths of any bytes have one form`() {
        var random = SeededGenerator(seed: 4)
        let pieces = ["/", ".", "..", "%", "%2", "%2F", "%zz", "+", "&", "=", "a", "\u{E4}", "~", " ", "?", "*"]
        for _ in 0..<rounds {
            let text = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let query = AWSCanonicalRequest.canonicalQuery(text)
            #expect(AWSCanonicalRequest.canonicalQuery(query) == query, "\(text)")
            let path = AWSCanonicalRequest.normalizedPath(text)
            #expect(AWSCanonicalRequest.normalizedPath(path) == path && path.hasPrefix("/"), "\(text)")
            let bytes = (0..<text.utf8.count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            for bytes in [bytes, Array(text.utf8)] {
                #expect(
                    bytes.awsEncoded().utf8.percentDecoded() == bytes
                        && bytes.queryParameterEncoded.utf8.percentDecoded(plusIsSpace: true) == bytes)
            }
        }
    }
}
