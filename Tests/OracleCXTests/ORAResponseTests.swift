import Foundation
import HTTPMessages
import Testing

@testable import OracleCX

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct ORAResponseTests {
    @Test(arguments: [200, 204, 404, 500])
    func `a response with any status has head and body and no error`(code: Int) throws {
        let fields = try HTTPFields(["X-A": "1", "x-a": "2", "Content-Type": "text/plain", "Set-Cookie": "hush"])
        let url = try URL(httpString: "https://example.com/x?token=hush")
        let httpResponse = HTTPResponse(
            status: try #require(HTTPStatus(code)), fields: fields, body: Data("hush".utf8), url: url)
        let response = ORAResponse(.success(httpResponse), requestTag: "t")
        let head = try #require(response.response as? HTTPURLResponse)
        #expect(head.statusCode == code && head.url == url && response.statusCode == code)
        #expect(head.value(forHTTPHeaderField: "X-a") == "1, 2")
        #expect(head.mimeType == "text/plain")
        #expect(response.data == Data("hush".utf8) && response.error == nil)
        #expect(response.httpResponse == httpResponse)
        #expect(response.requestTag == "t" && response.requestTAG == "t")
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response)\(dumped)".contains("hush"))
    }

    @Test func `a failure has only an error`() {
        let response = ORAResponse(.failure(ORAError(.transport, "It failed.")), requestTag: nil)
        #expect(response.response == nil && response.data == nil && response.httpResponse == nil)
        #expect(response.statusCode == nil)
        #expect((response.error as? ORAError)?.code == .transport)
        #expect(response.requestTag == nil && response.requestTAG == nil)
        #expect("\(response)" == "It failed. [transport]")
    }
}
