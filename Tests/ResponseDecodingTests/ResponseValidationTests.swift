import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct ResponseValidationTests {
    private func code(
        _ validation: ResponseValidation, _ status: Int, type: String? = nil, body: String = "x"
    ) throws -> ResponseDecodingError.Code? {
        do {
            try validation.validate(sample(body, type: type, status: #require(HTTPStatus(status))))
            return nil
        } catch let error as ResponseDecodingError {
            return error.code
        }
    }

    @Test(arguments: [100, 199, 300, 304, 404, 500, 999])
    func `the standard validation rejects all statuses but 2xx`(status: Int) throws {
        #expect(try code(.standard, status) == .unacceptableStatus)
        #expect(try code(.none, status) == nil)
    }

    @Test(arguments: [200, 204, 299])
    func `the standard validation accepts 2xx of any media type`(status: Int) throws {
        #expect(try code(.standard, status) == nil)
        #expect(try code(.standard, status, type: "nonsense") == nil)
    }

    @Test func `additional statuses are accepted`() throws {
        let validation = ResponseValidation.standard.accepting(.notModified, .notFound)
        #expect(try code(validation, 304) == nil)
        #expect(try code(validation, 404) == nil)
        #expect(try code(validation, 305) == .unacceptableStatus)
        #expect(try code(ResponseValidation(statuses: 400..<500), 200) == .unacceptableStatus)
        #expect(try code(ResponseValidation(statuses: RangeSet([200..<201, 304..<305])), 304) == nil)
    }

    @Test(arguments: [
        ("application/json", true), ("Application/JSON; charset=utf-8", true), ("text/csv", true),
        ("text/html;q", true), ("application/xml", false), ("application/problem+json", false), ("json", false),
        (nil, false),
    ])
    func `media types are matched against the required ranges`(type: String?, isAccepted: Bool) throws {
        let validation = try ResponseValidation.standard.requiring(.json, MediaType("text/*"))
        #expect(try code(validation, 200, type: type) == (isAccepted ? nil : .unacceptableMediaType))
    }

    @Test func `a wildcard accepts every media type, but not a missing one`() throws {
        let validation = try ResponseValidation.none.requiring(MediaType("*/*"))
        #expect(try code(validation, 500, type: "a/b") == nil)
        #expect(try code(validation, 500) == .unacceptableMediaType)
    }

    @Test func `the media type of an empty body is not checked`() throws {
        #expect(try code(.standard.requiring(.json), 204, body: "") == nil)
    }

    @Test func `the error has status and fields and shows no secrets`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try ResponseValidation.standard.requiring(.json).validate(sample("bodysecret", type: "text/html"))
        }
        #expect(error?.status == .ok)
        #expect(error?.fields[.setCookie] == "sid=cookiesecret")
        let text = try #require(error.map { "\($0)" })
        #expect(text.contains("Content-Type is text/html; expected application/json."))
        #expect(!text.contains("secret") && !text.contains("sesame"))
    }

    @Test(arguments: [
        (500, "It broke.\n\u{1B}[31mTwice", "500 Internal Server Error: It broke. [31mTwice"),
        (404, #"{"error": "none", "token": "sesame"}"#, #"404 Not Found: {"error": "none", "token": <redacted>}"#),
        (503, "", "503 Service Unavailable"),
    ])
    func `the error of an unacceptable status has an excerpt of the body`(status: Int, body: String, text: String)
        throws
    {
        var response = try sample(body, type: "text/plain", status: #require(HTTPStatus(status)))
        response.head.method = .get
        let error = #expect(throws: ResponseDecodingError.self) { try ResponseValidation.standard.validate(response) }
        #expect(error?.message == text)
        #expect(
            error?.description
                == "GET https://example.com/items?id=7&access_token=<redacted>: \(text) [unacceptableStatus]")
    }

    @Test func `the error of an unfollowed redirect names the target and the layer`() throws {
        var response = try sample("Moved", status: .found)
        try response.head.fields.set(.location, to: "/login?token=sesame")
        let error = #expect(throws: ResponseDecodingError.self) { try ResponseValidation.standard.validate(response) }
        let target = "https://example.com/login?token=<redacted>"
        #expect(error?.message == "302 Found: redirect to \(target) not followed; use the layer `Redirecting`.")
    }
}
