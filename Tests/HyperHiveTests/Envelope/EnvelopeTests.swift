import DeltaSync
import Foundation
import HTTPMessages
import StoreCore
import Testing
import Transport

@testable import HyperHive

@Suite struct EnvelopeTests {
    @Test func `HyperHive 3: the envelope is a dictionary and JSON text with the same content`() throws {
        var result = HyperHiveResult(.ok, .init("query"))
        result.database = .init(
            name: "/d/x.sqlite", records: Data(#"[{"count(*)":3,"t":"a\"b","n":null,"r":0.5}]"#.utf8), updated: 2)
        let json = try JSONValue(parsing: result.text)
        #expect(json == result.json)
        #expect(try JSONValue(foundation: result.dictionary) == json)
        #expect(json["status"] == "ok" && json["errors"] == [] && json["retryCount"] == 0)
        #expect(json["request"]?["type"] == "query" && json["http"] == nil)
        let database = json["result"]?["database"]
        #expect(database?["name"] == "/d/x.sqlite" && database?["changes"] == ["updated": 2])
        #expect(database?["records"]?[0]?["count(*)"] == 3 && database?["records"]?[0]?["t"] == "a\"b")
        let records = (result.dictionary["result"] as? [String: Any])?["database"] as? [String: Any]
        #expect((records?["records"] as? [[String: Any]])?.first?["count(*)"] as? Int == 3)
    }

    @Test func `HyperHive 3: without rows the text has no records`() throws {
        var result = HyperHiveResult(.error, .init("auth"))
        result.errors = [.init(.server, 401, "Invalid token")]
        result.raw = ["code": 401]
        let json = try JSONValue(parsing: result.text)
        #expect(json["result"] == ["raw": ["code": 401]])
        #expect(
            json["errors"] == [
                [
                    "code": 401, "source": "Server", "description": "Invalid token",
                    "descriptions": ["Invalid token"],
                ]
            ])
        #expect(result.description == "auth: error; Server 401: Invalid token")
        #expect(!"\(Mirror(reflecting: result).children.map(\.value))".contains("raw"))
    }

    @Test func `HyperHive 21: credentials in the echo are placeholders`() throws {
        var echo = HyperHiveResult.RequestEcho("deltaStream")
        echo.configuration = HyperHiveConfiguration(host: "http://h", environment: "e", project: "p", device: "d")
        echo.login = "ann"
        let credentials = try #require(echo.json["credentials"])
        #expect(credentials["username"] == "ann" && credentials["env"] == "e" && credentials["prj"] == "p")
        #expect(credentials["password"] == "<redacted>" && credentials["token"] == "<redacted>")
        #expect(echo.json["ignoreSslErrors"] == false)
    }

    @Test func `HyperHive 21: secrets are removed from errors, bodies and fields`() throws {
        let log = CallLog("auth")
        log.redact("hush-hush", nil, "")
        let fields = try HTTPFields(["etag": "\"1\"", "Set-Cookie": "a=b", "X-Echo": "is hush-hush!"])
        let url = try #require(URL(string: "http://h/"))
        log.record(HTTPResponseHead(status: .ok, fields: fields, url: url), sent: 0)
        #expect(
            log.redacted(["a": ["hush-hush", 1], "b": ["c": "xhush-hushx"]])
                == ["a": ["<redacted>", 1], "b": ["c": "x<redacted>x"]])
        let headers = try #require(log.result(.ok).response?.headers)
        #expect(headers == ["ETag": "\"1\"", "Set-Cookie": "a=<redacted>", "X-Echo": "is <redacted>!"])
        let error = log.error(.status, .init(.server, 400, "Wrong token hush-hush"))
        #expect(!error.description.contains("hush") && !error.result.text.contains("hush"))
    }

    @Test(arguments: ["2026", "Nov", "25"])
    func `HyperHive 21: a short secret is not shown by what it hides`(secret: String) throws {
        let date = "Wed, 25 Nov 2026 12:00:00 GMT"
        /// The envelope of a response in which the server has left out these texts, or not.
        func envelope(_ texts: [String: String], _ description: String?) throws -> JSONValue {
            let log = CallLog("auth")
            log.redact(secret)
            var fields = try HTTPFields(["Date": date])
            for (name, text) in texts { try fields.set(HTTPFieldName(name), to: text) }
            let url = try #require(URL(string: "http://h/"))
            log.record(HTTPResponseHead(status: .badRequest, fields: fields, url: url), sent: 0)
            let body = JSONValue.object(description.map { ["description": .string($0)] } ?? [:]).description
            let response = HTTPResponse(
                status: .badRequest, body: description == nil ? Data() : Data(body.utf8), url: url)
            let error = log.error(UnexpectedStatus(response: response))
            #expect(error.result.response?.headers["Date"] == date)
            return error.result.json
        }
        let text = "PIN \(secret), expires on 25 Nov 2026"
        #expect(try envelope(["X-Echo": text], text) == envelope([:], nil))
        let log = CallLog("auth")
        log.redact(secret)
        #expect(
            log.redacted(["a": .string(text), "b": ["x", .string(secret), "y"], "c": 1]) == ["b": ["x", "y"], "c": 1])
        #expect(
            log.redacted(["pin": .integer(Int64(secret) ?? 2026), "date": .string(text), "name": "Ann"])?["name"]
                == "Ann")
        #expect(log.redacted(.string(text)) == nil)
        if let number = Int64(secret) { #expect(log.redacted(["n": .integer(number)]) == [:]) }
    }

    @Test func `HyperHive 3: documented fields are spelled as the vendor does, others as the server`() throws {
        let log = CallLog("table")
        let fields = try HTTPFields(["etag": "\"1\"", "content-version": "6", "cache-hash-value": "x", "x-own": "y"])
        log.record(HTTPResponseHead(status: .ok, fields: fields, url: try #require(URL(string: "http://h/"))), sent: 0)
        let headers = log.result(.ok).response?.headers
        #expect(headers == ["ETag": "\"1\"", "Content-Version": "6", "Cache-Hash-Value": "x", "x-own": "y"])
    }

    // MARK: Numbers

    private static let transportErrors: [(TransportError, Int)] = [
        (.init(.hostNotFound, ""), 6), (.init(.connectionRefused, ""), 7), (.init(.unreachable, ""), 7),
        (.init(.timedOut, ""), 28), (.init(.tls, ""), 35), (.init(.tls, "", tlsFailure: .handshake), 35),
        (.init(.tls, "", tlsFailure: .untrustedCertificate), 60), (.init(.tls, "", tlsFailure: .hostMismatch), 60),
        (.init(.tls, "", tlsFailure: .expiredCertificate), 60), (.init(.connectionLost, ""), 52),
        (.init(.truncated, ""), 56), (.init(.malformedResponse, ""), 56), (.init(.responseTooLarge, ""), 56),
        (.init(.reservedField, ""), 55), (.init(.unknown, ""), 55),
    ]

    @Test(arguments: transportErrors)
    func `HyperHive 16: network errors have libcurl's numbers`(error: TransportError, number: Int) {
        let failure = CallFailure(error)
        #expect(failure.code == .transport)
        #expect(failure.entry?.source == .curl && failure.entry?.code == number)
    }

    @Test func `HyperHive 16: an error of the body keeps its number`() {
        let cut = DeltaError(.source, "", underlying: TransportError(.timedOut, ""))
        #expect(CallFailure(cut).entry?.code == 28)
        #expect(CallFailure(DeltaError(.truncated, "")).code == .malformedResponse)
        #expect(CallFailure(DeltaError(.source, "", underlying: CancellationError())).code == .cancelled)
        #expect(CallFailure(TransportError(.cancelled, "")).entry == nil)
        #expect(CallFailure(DeltaError(.busy, "")).code == .busy)
    }

    @Test(arguments: [
        (StoreError(.noSuchTable, "no such table: x"), 1), (StoreError(.syntax, "syntax error"), 1),
        (StoreError(.constraint, "c", engineCode: 2067), 19), (StoreError(.full, "f"), 13), (StoreError(.busy, "b"), 5),
        (StoreError(.corrupt, "c"), 11), (StoreError(.closed, "c"), 14), (StoreError(.wrongKey, "k"), 26),
        (StoreError(.io, "i", engineCode: 266), 10),
    ])
    func `HyperHive 16: database errors have SQLite's codes`(error: StoreError, number: Int) {
        let failures = [CallFailure(error), CallFailure(DeltaError(.store, "s", underlying: error))]
        for failure in failures {
            #expect(failure.code == .database && failure.entry?.source == .sqlite && failure.entry?.code == number)
            #expect(failure.entry?.description == error.message)
        }
    }

    @Test(arguments: [
        (#"{"code":401,"description":"Invalid token"}"#, "Invalid token"), (#"{"detail":"No."}"#, "No."),
        ("plain text", "plain text"), ("", "Unauthorized"), (#"{"description":""}"#, #"{"description":""}"#),
    ])
    func `HyperHive 16: a server's error has its description`(body: String, description: String) throws {
        let url = try #require(URL(string: "http://h/"))
        let failure = CallFailure(
            UnexpectedStatus(response: HTTPResponse(status: .unauthorized, body: Data(body.utf8), url: url)))
        #expect(failure.code == .unauthorized)
        #expect(failure.entry == .init(.server, 401, description))
    }

    /// The error of a response with a text, of a call with a secret.
    private func error(_ body: Data, redacting secret: String? = nil) throws -> HyperHiveError {
        let log = CallLog("auth")
        log.redact(secret)
        let url = try #require(URL(string: "http://h/"))
        return log.error(UnexpectedStatus(response: HTTPResponse(status: .badRequest, body: body, url: url)))
    }

    private func json(_ message: String) -> Data {
        Data(JSONValue.object(["message": .string(message)]).description.utf8)
    }

    @Test(arguments: ["pa;ss&word1", "pa ss word1", "pa<ss>'\"word1"])
    func `HyperHive 16: no part of a call's secret is in the texts of its error`(secret: String) throws {
        let text = "login failed, password: \(secret)"
        for body in [json(text), Data(text.utf8)] {
            let error = try error(body, redacting: secret)
            #expect(error.message == "login failed, password: <redacted>")
            #expect(error.result.errors.map(\.description) == ["login failed, password: <redacted>"])
        }
        // A secret is also found where the text is cut.
        let end = String(repeating: "x", count: 195)
        for body in [json(end + secret), Data((end + secret).utf8)] {
            #expect(try error(body, redacting: secret).message == end + "<reda…")
        }
    }

    @Test(arguments: [
        (#"{"error":"no ab\/cd-e&gh"}"#, "ab/cd-e&gh"), (#"{"error":"no ab/cd\u002de&gh"}"#, "ab/cd-e&gh"),
        ("<e>ab/cd-e&amp;gh</e>", "ab/cd-e&gh"), ("<e>ab/cd&#45;e&#x26;gh</e>", "ab/cd-e&gh"),
        ("no ab%2Fcd-e%26gh", "ab/cd-e&gh"), (#"{"error":"ab%2fcd\u002de&amp;gh"}"#, "ab/cd-e&gh"),
        (#"{"message":"no ab%2fcd-e&gh"}"#, "ab/cd-e&gh"), ("a=p%61+ss+word1", "pa ss word1"),
        ("a=pa+ss+word1", "pa ss word1"), ("no 12%334", "1234"), (#"{"message":"no 12&#51;4"}"#, "1234"),
    ])
    func `HyperHive 16: a text with a call's secret in another spelling is left out`(body: String, secret: String)
        throws
    {
        let error = try error(Data(body.utf8), redacting: secret)
        #expect(error.message == "Bad Request" && error.result.errors.map(\.description) == ["Bad Request"])
        let other = try self.error(Data(body.utf8), redacting: "swordfish")
        #expect(other.message != "Bad Request")
    }

    @Test func `HyperHive 16: a server's text is short, on one line and without secrets, as it is in the envelope`()
        throws
    {
        let long = "first\n\u{1B}second, password=sesame, " + String(repeating: "x", count: 300)
        let error = try error(json(long), redacting: "swordfish")
        #expect(error.message.hasPrefix("first second, password=<redacted>, xxx") && error.message.count == 201)
        #expect(error.result.errors.map(\.description) == [long])
        // A short secret shows by what is left.
        #expect(try self.error(json("not 1234"), redacting: "1234").message == "Bad Request")
        #expect(try self.error(Data("not 1234".utf8), redacting: "1234").message == "Bad Request")
        struct Quoting: PatchbayError {
            let code = Code(1)
            let message = "Got: swordfish"
        }
        #expect(CallFailure(Quoting()).entry?.description == "The call failed; see the underlying error.")
        #expect(CallFailure(HTTPMessageError(.invalidURL, "Invalid URL.")).entry?.description == "Invalid URL.")
    }
}
