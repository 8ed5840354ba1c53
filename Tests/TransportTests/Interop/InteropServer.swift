import Foundation
import HTTPMessages
import Testing

/// A third-party server. `.ci/interop` starts it and sets its address; without it the tests are skipped.
struct InteropServer: Sendable {
    static let nginx = InteropServer(origin: ProcessInfo.processInfo.environment["PATCHBAY_NGINX"])
    static let httpbin = InteropServer(origin: ProcessInfo.processInfo.environment["PATCHBAY_HTTPBIN"])
    static let tus = InteropServer(origin: ProcessInfo.processInfo.environment["PATCHBAY_TUS"])

    let origin: String?

    func request(
        _ method: HTTPMethod, _ path: String, _ fields: KeyValuePairs<String, String> = [:], body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        try HTTPRequest(method, #require(origin) + path, fields: HTTPFields(fields), body: body)
    }
}
