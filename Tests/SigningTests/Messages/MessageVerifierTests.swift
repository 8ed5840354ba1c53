import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Signing

@Suite struct MessageVerifierTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let key = Result { try ExampleKeys.shared() }

    private func verifier(_ change: (inout MessageVerifier) -> Void = { _ in }) throws -> MessageVerifier {
        let key = try Self.key.get()
        var verifier = MessageVerifier(requiring: [.method], now: { Self.now }) { id in
            id == key.id ? key.verificationKey : nil
        }
        change(&verifier)
        return verifier
    }

    private func request(
        _ components: [SignatureComponent] = [.method], label: String = "sig1",
        _ change: (inout SignatureParameters) -> Void = { _ in }
    ) throws -> HTTPRequest {
        var request = try HTTPRequest(.get, "https://example.com/?token=s3cret")
        var parameters = SignatureParameters(created: Self.now, keyID: "test-shared-secret")
        change(&parameters)
        try MessageSignature.sign(
            &request, with: Self.key.get(), components: components, parameters, label: label)
        return request
    }

    private func code(_ request: HTTPRequest, _ verifier: MessageVerifier) -> SigningError.Code? {
        do {
            try verifier.verify(request)
            return nil
        } catch {
            return (error as? SigningError)?.code
        }
    }

    /// A change of the parameters, and the error.
    static let cases: [(name: String, change: @Sendable (inout SignatureParameters) -> Void, SigningError.Code?)] = [
        ("current", { _ in }, nil),
        (
            "all parameters",
            {
                $0.nonce = "n\"\\"; $0.algorithm = "hmac-sha256"; $0.tag = "t"; $0.expires = now
            }, nil
        ),
        ("as old as allowed", { $0.created = now - 360 }, nil),
        ("too old", { $0.created = now - 361 }, .notCurrent),
        ("a day old", { $0.created = now - 86_400 }, .notCurrent),
        ("of tomorrow", { $0.created = now + 86_400 }, .notCurrent),
        ("of a clock that is a little ahead", { $0.created = now + 59 }, nil),
        ("without a time", { $0.created = nil }, .notCurrent),
        ("expired", { $0.expires = now - 61 }, .notCurrent),
        ("another key", { $0.keyID = "other" }, .unknownKey),
        ("no key", { $0.keyID = nil }, .unknownKey),
        ("another algorithm", { $0.algorithm = "ed25519" }, .invalidSignature),
    ]

    @Test(arguments: cases.indices) func `a signature is checked by its parameters`(index: Int) throws {
        let (name, change, expected) = Self.cases[index]
        #expect(try code(request([.method], change), verifier()) == expected, "\(name)")
    }

    @Test func `a signature that covers less than is required is refused`() throws {
        #expect(try code(request([.authority]), verifier()) == .missingSignature)
        #expect(try code(request([]), verifier()) == .missingSignature)
        #expect(try code(HTTPRequest(.get, "https://example.com"), verifier()) == .missingSignature)
        #expect(try code(request([.authority, .method]), verifier()) == nil)
    }

    @Test func `parts of a query and of a field are found, by their names`() throws {
        var request = try HTTPRequest(
            .get, "https://example.com/?a=1&b=x+y&b=2&%C3%A9=z&c&bad=%FF",
            fields: HTTPFields(["X-List": "a=1, b;x=2, c=(1 2)"]))
        let field = SignatureComponent.field(try HTTPFieldName("X-List"))
        let parts: [SignatureComponent] = [
            .queryParameter("a"), .queryParameter("é"), .queryParameter("c"), field.member("a"), field.member("b"),
            field.member("c"),
        ]
        let message = SignedMessage(request)
        let lines = String(decoding: try message.base(parts, input: []), as: UTF8.self).split(separator: "\n")
        #expect(
            lines.prefix(6).map { $0.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)[1] }
                == ["1", "z", "", "1", "?1;x=2", "(1 2)"])
        for wrong in [
            SignatureComponent.queryParameter("b"), .queryParameter("bad"), .queryParameter("d"),
            field.member("d"),
        ] {
            let error = #expect(throws: SigningError.self) {
                try message.base([.queryParameter("a"), wrong], input: [])
            }
            #expect(error?.code == .invalidComponent, "\(wrong)")
        }
        request.fields["X-List"] = "a=1, ("
        let error = #expect(throws: SigningError.self) {
            try SignedMessage(request).base([field.member("a")], input: [])
        }
        #expect(error?.message.contains("not a structured one") == true)
    }

    @Test func `the order of parameters makes no other component`() throws {
        let request = try request()
        let component = SignatureComponent.field(.date)
        var head = HTTPResponseHead(
            status: .ok, fields: try HTTPFields(["Date": "a"]), url: request.url)
        var original = request
        try original.fields.set("Date", to: "1")
        func sign(_ components: [SignatureComponent]) throws {
            try MessageSignature.sign(
                &head, to: original, with: Self.key.get(), components: components,
                SignatureParameters(created: Self.now, keyID: "test-shared-secret"))
        }
        try sign([component.structured.ofRequest])
        let verifier = try verifier { $0.requiredComponents = [component.ofRequest.structured] }
        let verified = try verifier.verify(head, to: original)
        #expect(verified.components.map(\.description) == ["\"date\";sf;req"])
        // The same one twice.
        let error = #expect(throws: SigningError.self) {
            try sign([component.structured.ofRequest, component.ofRequest.structured])
        }
        #expect(error?.code == .invalidComponent)
        let input = try #require(head.fields["Signature-Input"])
        try head.fields.set(
            "Signature-Input", to: input.replacing("sf;req", with: "sf;req \"date\";req;sf", maxReplacements: 1))
        let second = #expect(throws: SigningError.self) { try verifier.verify(head, to: original) }
        #expect(second?.code == .malformedField)
    }

    @Test func `of several signatures one has to be valid`() throws {
        var request = try request(label: "first") { $0.tag = "a" }
        try MessageSignature.sign(
            &request, with: SigningKey.generate(.hmacSHA256, id: "other"), components: [.method],
            SignatureParameters(created: Self.now, keyID: "other", tag: "b"), label: "second")
        #expect(request.fields["Signature-Input"]?.contains("first=") ?? false)
        #expect(try verifier().verify(request).label == "first")
        #expect(
            try verifier {
                $0.label = "first"; $0.tag = "a"
            }.verify(request).parameters.tag == "a")
        #expect(code(request, try verifier { $0.tag = "b" }) == .unknownKey)
        #expect(code(request, try verifier { $0.label = "second" }) == .unknownKey)
        #expect(code(request, try verifier { $0.label = "third" }) == .missingSignature)
        // The same label again replaces its signature.
        try MessageSignature.sign(
            &request, with: Self.key.get(), components: [.method, .authority],
            SignatureParameters(created: Self.now, keyID: "test-shared-secret"), label: "second")
        #expect(try verifier { $0.label = "second" }.verify(request).components.count == 2)
    }

    @Test func `what cannot be signed is an error`() throws {
        for label in ["", "A", "1a", "a b", "ä"] {
            let error = #expect(throws: SigningError.self) { try request(label: label) }
            #expect(error?.code == .invalidParameter)
        }
        var error = #expect(throws: SigningError.self) { try request { $0.nonce = "ä" } }
        #expect(error?.code == .invalidParameter)
        error = #expect(throws: SigningError.self) { try request { $0.created = .distantFuture * 1e9 } }
        #expect(error?.code == .invalidParameter)
        error = #expect(throws: SigningError.self) { try request([.method, .method]) }
        #expect(error?.code == .invalidComponent && !"\(error as Any)".contains("s3cret"))
    }

    @Test func `malformed fields are errors without a trap`() throws {
        let pieces = [
            "sig1", "=", "(", ")", "\"@method\"", "\"@query-param\"", "\"date\"", ";", "sf", "key=\"a\"", "bs", "req",
            "tr",
            "name=\"x\"", "created=1700000000", "created=\"x\"", "keyid=\"test-shared-secret\"", ":AA==:", "?1", ",",
            " ",
            "\"", "\\", "\u{E4}", "@1", "999999999999999", "alg=1",
        ]
        var random = SeededGenerator(seed: 9421)
        let verifier = try verifier()
        let rounds = ProcessInfo.processInfo.environment["PATCHBAY_PARSER_ROUNDS"].flatMap { Int($0) } ?? 3000
        var base = try request()
        let valid = try #require(base.fields["Signature-Input"])
        for _ in 0..<rounds {
            var text = Bool.random(using: &random) ? valid : ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                let place = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
                text.insert(contentsOf: piece, at: place)
            }
            guard (try? base.fields.set("Signature-Input", to: text)) != nil else { continue }
            if Bool.random(using: &random) { try? base.fields.set("Signature", to: text) }
            _ = try? verifier.verify(base)
            _ = try? ContentDigest.sent(text)
        }
    }
}

private func * (date: Date, factor: Double) -> Date {
    Date(timeIntervalSince1970: date.timeIntervalSince1970 * factor)
}
