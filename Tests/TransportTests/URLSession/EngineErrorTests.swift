import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct EngineErrorTests {
    /// A stand-in for `URLSessionTask`, whose description is in Apple's errors.
    private final class Task: CustomStringConvertible, CustomDebugStringConvertible {
        var description: String { "LocalDataTask <https://h/?token=s3cret>" }
        var debugDescription: String { description }
    }

    /// A user info like CFNetwork's.
    private static func userInfo(depth: Int = 2) throws -> [String: Any] {
        let url = try #require(URL(string: "https://user:s3cret@h/s3cret?token=s3cret#s3cret"))
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: "Lost https://user:s3cret@h/a?token=s3cret#s3cret \u{201C}h\u{201D}",
            NSURLErrorFailingURLErrorKey: url,
            "NSErrorFailingURLStringKey": url.absoluteString,
            "_NSURLErrorFailingURLSessionTaskErrorKey": Task(),
            "_NSURLErrorRelatedURLSessionTaskErrorKey": [Task()],
            "NSErrorPeerCertificateChainKey": ["s3cret"],
            NSLocalizedFailureReasonErrorKey: "s3cret",
            NSLocalizedRecoverySuggestionErrorKey: "s3cret",
            "_kCFStreamErrorCodeKey": NSNumber(value: -9813),
            "_kCFStreamErrorDomainKey": NSNumber(value: 3),
        ]
        if depth > 0 {
            info[NSUnderlyingErrorKey] = NSError(
                domain: "kCFErrorDomainCFNetwork", code: -1202, userInfo: try userInfo(depth: depth - 1))
        }
        return info
    }

    @Test(arguments: EngineKind.allCases, [NSURLErrorDomain, "kCFErrorDomainCFNetwork", NSPOSIXErrorDomain, "Other"])
    func `drops the URL, the task and the underlying errors`(engine: EngineKind, domain: String) throws {
        let error = NSError(domain: domain, code: -1202, userInfo: try Self.userInfo())
        let failure = EngineFailure(error, engine: engine, origin: Origin(try URL(httpString: "https://h/")))
        try expectNoSecrets(failure)
        let underlying = failure.underlying as NSError
        #expect(underlying.domain == domain && underlying.code == -1202)
    }

    @Test(arguments: EngineKind.allCases) func `a URLError remains a URLError`(engine: EngineKind) throws {
        let error = URLError(.serverCertificateUntrusted, userInfo: try Self.userInfo())
        let failure = EngineFailure(error, engine: engine, origin: Origin(try URL(httpString: "https://h/")))
        try expectNoSecrets(failure)
        #expect((failure.underlying as? URLError)?.code == .serverCertificateUntrusted)
    }

    private func expectNoSecrets(_ failure: EngineFailure) throws {
        let underlying = failure.underlying as NSError
        #expect(Set(underlying.userInfo.keys) == [NSLocalizedDescriptionKey, "_kCFStreamErrorCodeKey"])
        #expect(underlying.userInfo["_kCFStreamErrorCodeKey"] as? Int == -9813)
        #expect(underlying.localizedDescription == "Lost https://h/a \u{201C}h\u{201D}")
        var dumped = ""
        dump(failure, to: &dumped)
        dump(underlying.userInfo, to: &dumped)
        let request = try HTTPRequest(.get, "https://h/?token=s3cret")
        let error = TransportError(failure.code, failure.message, request: request, underlying: failure.underlying)
        for text in [
            dumped, "\(failure.underlying) \(underlying)", String(reflecting: failure), failure.message,
            "\(error) \(error as NSError) \((error as NSError).userInfo)",
        ] {
            #expect(!text.contains("s3cret") && !text.contains("LocalDataTask"), "\(text)")
        }
    }

    @Test func `reads the parts for classification`() {
        let inner = NSError(
            domain: NSPOSIXErrorDomain, code: 54,
            userInfo: ["_kCFStreamErrorCodeKey": 54, "_kCFStreamErrorDomainKey": Int32(1)])
        let middle = NSError(domain: "Middle", code: 2, userInfo: [NSUnderlyingErrorKey: inner])
        let error = EngineError(NSError(domain: "Outer", code: 1, userInfo: [NSUnderlyingErrorKey: middle]))
        #expect(error.domain == "Outer" && error.code == 1 && error.urlErrorCode == nil)
        #expect(error.causes.map(\.domain) == ["Middle", NSPOSIXErrorDomain])
        #expect(error.streamCode == 54 && error.streamDomain == 1)
        #expect(EngineError(URLError(.timedOut)).urlErrorCode == -1001)
    }

    @Test func `reads endlessly nested errors to a fixed depth`() {
        var error = NSError(domain: "0", code: 0)
        for level in 1...1000 {
            error = NSError(domain: "\(level)", code: 0, userInfo: [NSUnderlyingErrorKey: error])
        }
        #expect(EngineError(error).causes.count == 4)
    }
}
