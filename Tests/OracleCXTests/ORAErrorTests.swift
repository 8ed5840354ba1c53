import Foundation
import HTTPMessages
import Queueing
import Testing
import Transport

@testable import OracleCX

@Suite struct ORAErrorTests {
    static let codes: [(TransportError.Code, Int)] = [
        (.timedOut, -1001), (.hostNotFound, -1003), (.connectionRefused, -1004), (.connectionLost, -1005),
        (.truncated, -1005), (.unreachable, -1009), (.tooManyRedirects, -1007), (.redirectRefused, -1010),
        (.malformedResponse, -1017), (.undecodableContent, -1016), (.responseTooLarge, -1103),
        (.tls, -1200),
        (.proxy, -1004), (.cancelled, -999), (.unknown, -1), (.reservedField, -1),
    ]

    @Test(arguments: codes)
    func `as an NSError each error has URLSession's domain and code`(code: TransportError.Code, number: Int) {
        let error = ORAError(TransportError(code, "It failed."))
        let bridged = error as NSError
        #expect(bridged.domain == NSURLErrorDomain)
        #expect(bridged.code == number)
        #expect(bridged.localizedDescription == error.description)
        #expect(error.underlying is TransportError)
    }

    @Test(arguments: [(AdmissionError.Code.expired, -1001), (.queueFull, -1), (.circuitOpen, -1)])
    func `a request that a layer refused to send is a transport error`(code: AdmissionError.Code, number: Int) throws {
        let request = try HTTPRequest(.get, "http://h/?token=hush")
        let error = ORAError(AdmissionError(code, "Refused.", request: request))
        #expect(error.code == .transport && (error as NSError).code == number)
        #expect(error.message == "GET http://h/?token=<redacted>: Refused.")
        #expect(error.failingURL == "http://h/?token=<redacted>")
    }

    @Test func `errors of invalid requests have URLSession's codes`() {
        #expect(ORAError(unsendable: HTTPMessageError(.invalidURL, "m")).errorCode == NSURLErrorBadURL)
        #expect(ORAError(unsendable: HTTPMessageError(.unsupportedScheme, "m")).errorCode == NSURLErrorUnsupportedURL)
        #expect(ORAError(unsendable: HTTPMessageError(.invalidFieldValue, "m")).errorCode == NSURLErrorUnknown)
        #expect(ORAError(CancellationError()).errorCode == NSURLErrorCancelled)
        #expect(ORAError(CocoaError(.fileNoSuchFile)).code == .transport)
        #expect(ORAError(unsendable: CocoaError(.fileNoSuchFile)).code == .invalidRequest)
    }
}
