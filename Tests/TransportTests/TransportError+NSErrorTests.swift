import Foundation
import HTTPMessages
import Testing
import Transport

@Suite struct TransportErrorNSErrorTests {
    /// The numbers in Apple's documentation.
    static let codes: [(TransportError.Code, Int?)] = [
        (.timedOut, -1001), (.hostNotFound, -1003), (.connectionRefused, -1004), (.proxy, -1004),
        (.connectionLost, -1005), (.truncated, -1005), (.tooManyRedirects, -1007), (.unreachable, -1009),
        (.redirectRefused, -1010), (.undecodableContent, -1016), (.malformedResponse, -1017),
        (.responseTooLarge, -1103), (.tls, -1200), (.temporaryStorage, -3003), (.cancelled, -999), (.unknown, -1),
        (.unreadableBody, nil), (.reservedField, nil), (.unsupported, nil),
    ]
    static let reasons: [(TransportError.TLSFailure, Int)] = [
        (.untrustedCertificate, -1202), (.hostMismatch, -1202), (.expiredCertificate, -1201), (.handshake, -1200),
    ]

    @Test(arguments: codes) func `maps to the code of URLSession`(code: TransportError.Code, number: Int?) throws {
        let request = try HTTPRequest(.get, "https://example.com/?token=s3cret")
        let error = TransportError(code, "It failed.", request: request)
        #expect(error.urlErrorCode?.rawValue == number)
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.code == number)
        guard let underlying else { return }
        #expect(underlying.domain == NSURLErrorDomain)
        #expect(underlying.localizedDescription == "\(error)")
        #expect(
            underlying.userInfo["NSErrorFailingURLStringKey"] as? String
                == "https://example.com/?token=<redacted>")
        #expect(underlying.userInfo[NSURLErrorFailingURLErrorKey] is URL)
    }

    @Test(arguments: reasons) func `maps the TLS failures`(failure: TransportError.TLSFailure, number: Int) {
        #expect(TransportError(.tls, "It failed.", tlsFailure: failure).urlErrorCode?.rawValue == number)
    }

    @Test func `wraps the engine's error in the URLError`() throws {
        let error = TransportError(.connectionLost, "m", underlying: POSIXError(.ECONNRESET)) as NSError
        let urlError = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        let cause = try #require(urlError.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.domain == NSPOSIXErrorDomain && cause.code == Int(ECONNRESET))
    }
}
