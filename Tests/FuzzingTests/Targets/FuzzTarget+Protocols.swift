import Foundation
import HTTPMessages

@testable import PatchbayMigration
@testable import PatchbayTestKit
@testable import Signing
@testable import SystemLibraries

extension FuzzTarget {
    /// What peers and other programs write.
    static let protocols = [
        FuzzTarget(
            text: "signatures",
            [
                "sig1=(\"@method\" \"date\";sf;req \"@query-param\";name=\"a\");created=1700000000;keyid=\"k\";alg=\"hmac-sha256\"",
                "a=(), b=(\"@authority\");nonce=\"x\";tag=\"t\";expires=1",
            ],
            words: ["\"@method\"", "\"@target-uri\"", ";sf", ";bs", ";key=", ";tr", "sig1=", "created=", ":AQID:"]
        ) { text in
            let key = try SigningKey.generate(.hmacSHA256, id: "k").verificationKey
            let verifier = MessageVerifier(requiring: [.method], now: { Date(timeIntervalSince1970: 1_700_000_000) }) {
                $0 == "k" ? key : nil
            }
            var request = try HTTPRequest(.get, "https://example.com/?a=b")
            guard (try? request.fields.set("Signature-Input", to: text)) != nil else { return }
            try request.fields.set("Signature", to: "sig1=:AQID:, a=:AQ==:, b=::")
            try promise(parsed { try verifier.verify(request) } == nil, "a signature that is not made by the key")
        },
        FuzzTarget("keys", data: keySamples) { bytes in
            if let contents = PrivateKeyContents(der: bytes) {
                try promise(PrivateKeyContents(der: contents.der) == contents, "another private key when read again")
            }
            if let contents = PublicKeyContents(der: bytes) {
                try promise(PublicKeyContents(der: contents.der) == contents, "another public key when read again")
            }
            for curve in EllipticCurve.allCases {
                guard let raw = ECDSASignature.raw(der: Array(bytes), on: curve) else { continue }
                try promise(raw.count == curve.size * 2, "a signature of another size")
            }
        },
        FuzzTarget("aws-chunks", ["a short body", String(repeating: "abcdefgh", count: 40)]) { bytes in
            let credentials = AWSCredentials(accessKeyID: "a", secretAccessKey: "s")
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            let scope = try AWSSigningScope(credentials, region: "r", service: "s3", at: date)
            try promiseSame(bytes) { pieces in
                var encoder = AWSChunkEncoder(scope, chunkSize: 16, seed: "0")
                var encoded = try pieces.reduce(into: Data()) { $0 += try encoder.encode($1) }
                encoded += try encoder.finish()
                let length = AWSChunkEncoder.encodedLength(of: Int64(bytes.count), chunkSize: 16)
                try promise(length == Int64(encoded.count), "\(encoded.count) bytes, not \(length ?? -1)")
                return encoded
            }
        },
        FuzzTarget(
            "requests",
            [
                "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nT: v\r\n\r\n",
                "GET /b HTTP/1.1\r\nHost: h\r\n\r\nPUT /c HTTP/1.0\r\nContent-Length: 5, 5\r\n\r\nhello",
            ],
            words: [
                "GET ", " HTTP/1.1\r\n", "\r\n\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n",
                "ffffffffffffffff",
            ]
        ) { bytes in
            try promiseSame(bytes) { pieces in
                var reader = RequestReader(source: Pieces(pieces), limits: LoopbackServer.Limits(head: 512, body: 512))
                var requests: [String] = []
                do {
                    while let (head, _) = try reader.readHead() {
                        let body = try reader.readBody(head.framing).bytes
                        requests.append("\(head.method) \(head.target) \(body.base64EncodedString())")
                    }
                } catch let error as Refusal {
                    requests.append("\(error.status.code)")
                } catch is ConnectionLost {
                    requests.append("lost")
                }
                return requests
            }
        },
        FuzzTarget(
            "sources",
            [
                "import Akula\nlet agent = HTTPAgent(base: \"https://h\")\nagent.get(\"/x\") { r in print(\"\\(r)\") } // c\n",
                "#import <Foundation/Foundation.h>\n@interface A : NSObject <ORADelegate>\n@end\n[[WLClient sharedInstance] pin:@\"x\"];",
                "#\"\"\"\nraw \\#(x)\n\"\"\"#; /* a /* b */ */ let r = /ab+/",
            ],
            words: ["\"\"\"", "\\(", "/*", "*/", "#\"", "@\"", "[[", "]]", "@interface", "//", "let ", "func "]
        ) { bytes in
            for language in [SourceLanguage.swift, .objectiveC] {
                let scan = FileScan(Array(bytes), language, file: "a", .standard, header: Array(bytes))
                try promise(scan.lineCount == bytes.count { $0 == 0x0A }, "another number of lines")
            }
        },
    ]

    private static let keySamples: [Data] = {
        let keys = [SignatureAlgorithm.ecdsaP256SHA256, .ed25519].compactMap { try? SigningKey.generate($0) }
        return keys.map(\.secretRepresentation) + keys.compactMap { $0.verificationKey.der }
    }()
}

/// A byte source of chunks.
private final class Pieces: ByteSource {
    private var rest: ArraySlice<Data>

    init(_ pieces: [Data]) { rest = pieces.filter { !$0.isEmpty }[...] }

    func read(into memory: UnsafeMutableRawBufferPointer) throws(ConnectionLost) -> Int {
        guard let piece = rest.popFirst() else { return 0 }
        let part = piece.prefix(memory.count)
        memory.copyBytes(from: part)
        if part.count < piece.count { rest = [Data(piece.dropFirst(part.count))] + rest }
        return part.count
    }
}
