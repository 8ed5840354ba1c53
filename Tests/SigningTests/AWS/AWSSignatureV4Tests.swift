import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@testable import Signing

@Suite struct AWSSignatureV4Tests {
    private static let date = Date(timeIntervalSince1970: 1_440_938_160)

    private func credentials(token: String? = nil) -> AWSCredentials {
        AWSCredentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: token
        )
    }

    /// The credentials of the examples of S3's API reference, at 2013-05-24T00:00:00Z.
    private func s3() -> (signer: AWSSignatureV4, date: Date) {
        let credentials = AWSCredentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        return (
            AWSSignatureV4(credentials: .fixed(credentials), region: "us-east-1", service: "s3"),
            Date(timeIntervalSince1970: 1_369_353_600)
        )
    }

    private func split(_ target: String) -> (path: String, query: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    @Test(arguments: AWSVectors.all.indices) func `the published vectors hold`(index: Int) throws {
        let vector = AWSVectors.all[index]
        let (path, query) = split(vector.target)
        let scope = try AWSSigningScope(
            credentials(token: vector.token), region: "us-east-1", service: "service", at: Self.date)
        let hash = vector.signsBody ? try AWSHash.hex(of: Array(vector.body.utf8)) : AWSHash.empty
        var fields = vector.fields + [("Host", "example.amazonaws.com"), ("X-Amz-Date", scope.timestamp)]
        if let token = vector.token { fields.append(("X-Amz-Security-Token", token)) }
        if vector.signsBody { fields.append(("X-Amz-Content-Sha256", hash)) }
        let request = AWSCanonicalRequest(
            method: vector.method,
            path: (vector.normalizes ? AWSCanonicalRequest.normalizedPath(path) : path).utf8.awsEncoded(
                keepingSlashes: true),
            query: query, fields: fields.map { (name: $0.0, value: $0.1) }, payloadHash: hash)
        #expect(try scope.signature(of: request) == vector.header, "\(vector.name): \(request.text)")
    }

    /// The vectors whose target a request leaves as it is, and whose fields are one line each, as they are sent.
    private static let targets = AWSVectors.all.filter { vector in
        vector.target.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !vector.target.contains("//")
            && !vector.target.contains("/.") && !vector.target.contains("%") && vector.name != "get-unreserved"
            && Set(vector.fields.map { $0.0.lowercased() }).count == vector.fields.count
    }

    @Test func `requests and URLs are signed as the published vectors`() async throws {
        #expect(Self.targets.count > 15)
        for vector in Self.targets {
            var signer = AWSSignatureV4(
                credentials: .fixed(credentials(token: vector.token)), region: "us-east-1", service: "service")
            signer.sendsPayloadHash = vector.signsBody
            var request = try HTTPRequest(
                HTTPMethod(vector.method), "https://example.amazonaws.com" + vector.target,
                fields: HTTPFields(vector.fields), body: vector.body.isEmpty ? .empty : .text(vector.body))
            if !vector.signsBody {
                let url = try await signer.presignedURL(for: request, lifetime: .seconds(3600), at: Self.date)
                #expect(url.absoluteString.hasSuffix("&X-Amz-Signature=\(vector.query)"), "\(vector.name): \(url)")
            }
            try await signer.sign(&request, at: Self.date)
            let authorization = try #require(request.fields[.authorization])
            #expect(authorization.hasSuffix("Signature=\(vector.header)"), "\(vector.name): \(authorization)")
            #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/"))
        }
    }

    @Test func `the examples of S3`() async throws {
        let (signer, date) = s3()
        var get = try HTTPRequest(
            .get, "https://examplebucket.s3.amazonaws.com/test.txt", fields: HTTPFields(["Range": "bytes=0-9"]))
        try await signer.sign(&get, at: date)
        #expect(
            get.fields[.authorization]?.hasSuffix("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
                ?? false)
        var put = try HTTPRequest(
            .put, "https://examplebucket.s3.amazonaws.com/test$file.text",
            fields: HTTPFields([
                "Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
            ]), body: .text("Welcome to Amazon S3."))
        try await signer.sign(&put, at: date)
        #expect(
            put.fields[.authorization]?.hasSuffix("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
                ?? false)
        let url = try await signer.presignedURL(
            for: HTTPRequest(.get, "https://examplebucket.s3.amazonaws.com/test.txt"), lifetime: .seconds(86_400),
            at: date)
        #expect(
            url.absoluteString.hasSuffix(
                "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }

    @Test(arguments: [true, false]) func `the chunks of the example of S3`(isStream: Bool) async throws {
        var (signer, date) = s3()
        signer.payload = .chunked()
        let bytes = Data(repeating: UInt8(ascii: "a"), count: 66_560)
        let body =
            isStream
            ? HTTPBody.stream(
                AsyncStream<Data> { stream in
                    for start in stride(from: 0, to: 66_560, by: 5120) { stream.yield(bytes[start..<(start + 5120)]) }
                    stream.finish()
                }, length: 66_560) : .bytes(bytes)
        var request = try HTTPRequest(
            .put, "https://s3.amazonaws.com/examplebucket/chunkObject.txt",
            fields: HTTPFields(["x-amz-storage-class": "REDUCED_REDUNDANCY", "Content-Length": "66824"]), body: body)
        try await signer.sign(&request, at: date)
        #expect(
            request.fields[.authorization]?.hasSuffix(
                "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9")
                ?? false)
        #expect(request.body.length == 66_824 && request.body.isReplayable != isStream)
        #expect(request.fields[.contentEncoding] == "aws-chunked")
        let sent = try await request.body.collect()
        #expect(sent.count == 66_824)
        let signatures = String(decoding: sent, as: UTF8.self).split(separator: "\r\n").compactMap { line in
            line.split(separator: ";chunk-signature=").count == 2 ? String(line) : nil
        }
        #expect(
            signatures == [
                "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                "400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                "0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
            ])
    }

    @Test(arguments: [
        ("//a//b/", "/a/b/"), ("/a/./b/../c", "/a/c"), ("/..", "/"), ("", "/"), ("/a/.", "/a/"), ("/a/..", "/"),
    ])
    func `a path has one form, except for S3`(path: String, normalized: String) {
        #expect(AWSCanonicalRequest.normalizedPath(path) == normalized)
    }

    @Test func `an escaped byte that is not UTF-8 is signed as it is sent`() async throws {
        #expect(AWSCanonicalRequest.canonicalQuery("b=%ff&a=%FE+&%e4=") == "%E4=&a=%FE%2B&b=%FF")
        var signatures: Set<String> = []
        for target in ["%FF", "%FE", "%EF%BF%BD", "?a=%FF", "?a=%FE", "?a=%EF%BF%BD"] {
            var request = try HTTPRequest(.get, "https://a.example/\(target)")
            try await s3().signer.sign(&request, at: Self.date)
            signatures.insert(request.fields[.authorization] ?? "")
        }
        #expect(signatures.count == 6)
    }

    @Test func `what cannot be signed is refused before it is sent`() async throws {
        let stream = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        func code(
            _ body: HTTPBody, to url: String = "https://example.com/", _ change: (inout AWSSignatureV4) -> Void
        ) async -> SigningError.Code? {
            do {
                var (signer, date) = s3()
                change(&signer)
                var request = try HTTPRequest(.put, url, body: body)
                try await signer.sign(&request, at: date)
                return nil
            } catch {
                return (error as? SigningError)?.code
            }
        }
        #expect(await code(stream) { _ in } == .bodyNotReplayable)
        #expect(await code(stream) { $0.payload = .chunked() } == .bodyNotReplayable)
        #expect(await code(stream) { $0.payload = .unsigned } == nil)
        #expect(await code(.empty, to: "http://example.com/") { $0.payload = .unsigned } == .invalidParameter)
        #expect(await code(.empty, to: "http://localhost:1/") { $0.payload = .unsigned } == nil)
        #expect(await code(.empty, to: "http://example.com/") { $0.payload = .chunked() } == nil)
        #expect(await code(.text("a")) { $0.payload = .chunked(size: 100) } == .invalidParameter)
        for lifetime in [Duration.zero, .seconds(604_801)] {
            let error = await #expect(throws: SigningError.self) {
                _ = try await s3().signer.presignedURL(for: HTTPRequest(.get, "https://a.example"), lifetime: lifetime)
            }
            #expect(error?.code == .invalidParameter)
        }
        for year in [-1e15, 1e15] {
            let error = await #expect(throws: SigningError.self) {
                var request = try HTTPRequest(.get, "https://a.example")
                try await s3().signer.sign(&request, at: Date(timeIntervalSince1970: year))
            }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test func `credentials come from the environment, and are not shown`() async throws {
        let all = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s3cret", "AWS_SESSION_TOKEN": "s3cret-token"]
        let found = try await AWSCredentialProvider.environment { all }.credentials()
        #expect(found == AWSCredentials(accessKeyID: "id", secretAccessKey: "s3cret", sessionToken: "s3cret-token"))
        var text = ""
        dump(found, to: &text)
        #expect(!"\(text) \(found) \(String(reflecting: found))".contains("s3cret"))
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            let some = all.filter { $0.key != name }
            let error = await #expect(throws: SigningError.self) {
                _ = try await AWSCredentialProvider.environment { some }.credentials()
            }
            #expect(error?.code == .invalidCredential)
        }
        var request = try HTTPRequest(.get, "https://a.example")
        let broken = AWSCredentials(accessKeyID: "a\r\nb", secretAccessKey: "s3cret")
        let signer = AWSSignatureV4(credentials: .fixed(broken), region: "r", service: "s")
        do {
            try await signer.sign(&request, at: Self.date)
            Issue.record("signed")
        } catch let error as SigningError {
            #expect(error.code == .invalidCredential && !"\(error)".contains("s3cret"))
        }
    }

    @Test func `a server with another clock is answered with its time, also by status 400`() async throws {
        let server = Self.date + 3600
        let times = Mutex<[String]>([])
        let base = FakeTransport { request in
            let time = request.fields["X-Amz-Date"] ?? ""
            times.withLock { $0.append(time) }
            return HTTPResponse(
                status: time == "20150830T133600Z" ? .ok : .badRequest,
                fields: try HTTPFields(["Date": HTTPDate(server).description]), url: request.url)
        }
        let transport = base.signing(
            .awsV4(.fixed(credentials()), region: "r", service: "s"), clock: ServerClock { Self.date })
        #expect(try await transport.send(HTTPRequest(.get, "https://a.example")).status == .ok)
        #expect(times.withLock { $0 } == ["20150830T123600Z", "20150830T133600Z"])
    }
}
