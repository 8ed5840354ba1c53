import Foundation
import HTTPMessages
import PatchbayErrors
import ResponseDecoding
import Testing
import Transport

@Suite struct PatchbayErrorTests {
    @Test func `each public error type has a sample and is a PatchbayError`() throws {
        let sampled = try Set(ErrorSamples.all().map { String("\(type(of: $0.error))".prefix { $0 != "<" }) })
        #expect(try ErrorSources.publicErrorTypes() == sampled)
    }

    @Test func `each error bridges to an NSError with text, domain, number and failing URL`() throws {
        for sample in try ErrorSamples.all() {
            let error = sample.error as NSError
            #expect(error.domain == sample.domain)
            #expect(error.code == sample.number, "\(sample.error)")
            #expect((sample.error as any Error).localizedDescription == "\(sample.error)")
            #expect(error.localizedDescription == "\(sample.error)")
            #expect(error.localizedDescription.contains("m"))
            #expect(sample.error.failingURL == sample.failingURL)
            #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == sample.failingURL)
            let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
            #expect(url?.absoluteString == sample.failingURL.map { _ in ErrorSamples.encodedURL })
        }
    }

    @Test func `no error shows a secret in any form`() throws {
        for sample in try ErrorSamples.all() {
            var dumped = ""
            dump(sample.error, to: &dumped)
            let error = sample.error as NSError
            for form in ["\(sample.error)", String(reflecting: sample.error), dumped, "\(error)", "\(error.userInfo)"] {
                #expect(!form.contains("s3cret"), "\(form)")
            }
        }
    }

    @Test func `names and numbers of codes are unique`() throws {
        let codes = try ErrorSources.codes()
        #expect(Set(codes.map(\.type)).count == 38)
        for code in codes { #expect(code.member == code.name, "\(code)") }
        for (type, codes) in Dictionary(grouping: codes, by: \.type)
        where !["ORAError", "SMPError", "WLError"].contains(type) {
            #expect(Set(codes.map(\.number)).count == codes.count, "\(type)")
        }
    }

    @Test func `Documentation/Errors.md lists each code`() throws {
        let (codes, documented) = try (Set(ErrorSources.codes()), Set(ErrorSources.documentedCodes()))
        #expect(codes.subtracting(documented).isEmpty)
        #expect(documented.subtracting(codes).isEmpty)
    }

    @Test func `text quoted by a decoder is not in the user info`() throws {
        struct Item: Decodable { let id: Int }
        let url = try #require(URL(string: "http://h"))
        let response = HTTPResponse(status: .ok, body: Data(#"{"id": s3cret}"#.utf8), url: url)
        let error = #expect(throws: ResponseDecodingError.self) {
            try response.decoded(as: .json(Item.self))
        }
        let bridged = try #require(error) as NSError
        let cause = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(error?.underlying is DecodingError && cause.userInfo.isEmpty)
        #expect(!"\(bridged.userInfo)".contains("s3cret"))
    }

    @Test func `the underlying error has no URL in its user info`() throws {
        let cause = URLError(
            .timedOut,
            userInfo: [
                "NSErrorFailingURLStringKey": "http://h/?token=s3cret", NSLocalizedDescriptionKey: "late",
            ])
        let error = TransportError(.unreadableBody, "m", underlying: cause) as NSError
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == NSURLErrorDomain && underlying.code == -1001)
        #expect(underlying.localizedDescription == "late" && underlying.userInfo.count == 1)
    }

    @Test func `nested errors of other domains lose their URLs and keep domain, code and text`()
        throws
    {
        let engine = NSError(
            domain: "kCFErrorDomainCFNetwork", code: -1001,
            userInfo: [
                NSLocalizedDescriptionKey: "late",
                NSURLErrorFailingURLErrorKey: try #require(URL(string: "http://h/?token=s3cret")),
            ])
        let outer = NSError(domain: "App", code: 7, userInfo: [NSUnderlyingErrorKey: engine])
        for (cause, code) in [(engine, -1001), (outer, 7)] {
            let error = TransportError(.unreadableBody, "m", underlying: cause) as NSError
            let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(underlying.domain == cause.domain && underlying.code == code)
            #expect(underlying.localizedDescription == cause.localizedDescription)
            #expect(!"\(underlying.userInfo)".contains("s3cret"))
        }
    }

    @Test func `an error without a URL is unchanged`() throws {
        let file = NSError(domain: NSPOSIXErrorDomain, code: 2, userInfo: ["NSFilePath": "/tmp/x"])
        let bridged = TransportError(.unreadableBody, "m", underlying: file) as NSError
        #expect((bridged.userInfo[NSUnderlyingErrorKey] as? NSError)?.userInfo["NSFilePath"] as? String == "/tmp/x")
        struct Mine: Error {}
        let own = TransportError(.unreadableBody, "m", underlying: Mine()) as NSError
        #expect((own.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == (Mine() as NSError).domain)
    }
}
