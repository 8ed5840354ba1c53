import Authentication
import DeltaSync
import Foundation
import HTTPMessages
import Outbox
import PatchbayErrors
import ResponseDecoding
import SignIn
import Signing
import StoreCore
import SystemLibraries
import Transport
import WebSockets

@testable import Akula
@testable import Delegation
@testable import HyperHive
@testable import MobileFirst
@testable import Monitoring
@testable import OData
@testable import OracleCX
@testable import Patchbay
@testable import PatchbayTestKit
@testable import Queueing
@testable import RequestModel
@testable import SDMConnectivity
@testable import VendorServices

/// One error of each public type.
enum ErrorSamples {
    static let url = "https://example.com/items?token=<redacted>&page=2"
    static let encodedURL = "https://example.com/items?token=%3Credacted%3E&page=2"

    struct Sample {
        let error: any PatchbayError
        var domain: String
        var number = 1
        /// The expected failing URL.
        var failingURL: String?
    }

    static func all() throws -> [Sample] {
        let request = try HTTPMessages.HTTPRequest(.get, "https://example.com/items?token=s3cret&page=2")
        let response = HTTPResponse(status: .notFound, body: Data("s3cret".utf8), url: request.url)
        var download = DownloadError(.invalidTarget, "m")
        download.failingURL = request.redactedURL
        var upload = UploadError(.unsupported, "m")
        upload.failingURL = request.redactedURL
        var stream = EventSourceError(.noContent, "m")
        stream.failingURL = request.redactedURL
        var socket = WebSocketError(.invalidArgument, "m", closeCode: .protocolError)
        socket.failingURL = request.redactedURL
        var echo = HyperHiveResult.RequestEcho("table")
        echo.url = request.redactedURL
        func patchbay<E: PatchbayError>(_ error: E, _ failingURL: String? = nil) -> Sample {
            Sample(error: error, domain: "Patchbay.\(E.self)", failingURL: failingURL)
        }
        return [
            patchbay(SigningError(.invalidKey, "m", request: request), url),
            patchbay(TransportError(.connectionRefused, "m", request: request), url),
            patchbay(download, url),
            patchbay(upload, url),
            patchbay(CookieFileError(.wrongKey, "m")),
            patchbay(HTTPMessageError(.invalidMethod, "m")),
            patchbay(JSONError(.invalidSyntax, "m")),
            patchbay(socket, url),
            patchbay(URITemplateError(.invalidTemplate, "m")),
            patchbay(ResponseDecodingError(.unacceptableStatus, "m", response: response), url),
            Sample(
                error: ServerError<JSONValue>(nil, of: response, summary: "m"), domain: "Patchbay.ServerError",
                number: 404,
                failingURL: url),
            patchbay(PageError(.otherOrigin, "m", request: request), url),
            patchbay(StreamDecodingError(.lineTooLong, "m", line: 1)),
            patchbay(stream, url),
            patchbay(AdmissionError(.queueFull, "m", request: request, head: response.head), url),
            patchbay(AuthenticationError(.refused, "m", request: request, head: response.head), url),
            patchbay(HARError(.unreadableFile, "m")),
            patchbay(SignInError(.invalidConfiguration, "m")),
            patchbay(SelectorError(.malformed, "done:", "m")),
            patchbay(StoreError(.noSuchTable, "m")),
            patchbay(DeltaError(.malformed, "m")),
            patchbay(OutboxError(.streamBody, "m")),
            patchbay(SystemLibraryError(.missingLibrary, library: "libz.so.1", "m")),
            patchbay(ORASettingsError(.invalidModuleID, "m")),
            patchbay(FacadeConfigurationError(.alreadyConfigured, "m")),
            patchbay(LoopbackError(.cannotListen, "m")),
            patchbay(RecordingError(.unreadableFile, "m", url: request.redactedURL), url),
            patchbay(RoutingError(unexpected: request, "m"), url),
            patchbay(CompletionError(violations: ["m"])),
            patchbay(ConformanceFailure("m")),
            Sample(
                error: AKError(.status, "m", response: AKHTTPResponse(response)), domain: "AKErrorDomain", number: 404,
                failingURL: url),
            Sample(
                error: ORAError(TransportError(.timedOut, "m", request: request)), domain: NSURLErrorDomain,
                number: -1001, failingURL: url),
            Sample(
                error: WLError(TransportError(.timedOut, "m", request: request)), domain: "WLClientErrorDomain",
                number: 3, failingURL: url),
            Sample(
                error: SDMError(TransportError(.timedOut, "m", request: request)), domain: "ASIHTTPRequestErrorDomain",
                number: 2, failingURL: url),
            Sample(
                error: HyperHiveError(.status, "m", result: HyperHiveResult(.error, echo)),
                domain: "Patchbay.HyperHiveError", number: 4, failingURL: url),
            patchbay(HyperHiveContentError(.invalidChange, "m")),
            patchbay(SDMConnectivityException(.threadCountTooHigh, "m")),
            patchbay(ODataError(.service, "m").found(in: response), url),
            Sample(
                error: SMPError(
                    .notRegistered, "m", underlying: SDMError(TransportError(.timedOut, "m", request: request))),
                domain: "Patchbay.SMPError", number: 70001, failingURL: url),
        ]
    }
}
