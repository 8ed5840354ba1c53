import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing
import Transport

@testable import OData

struct ODataErrorTests {
    private static let xml = """
        <?xml version="1.0" encoding="utf-8"?>
        <error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
          <code>005056A509B11EE1B9A8FEC11C21578E</code>
          <message xml:lang="en">Invalid <![CDATA[key]]> &amp; more</message>
          <innererror><transactionid>4F2A</transactionid><errordetails>
            <errordetail><code>A/1</code></errordetail><errordetail><code>A/2</code></errordetail>
          </errordetails></innererror>
        </error>
        """

    @Test func `S41: an XML error has code, message, language and inner error`() throws {
        let error = try #require(ODataErrorDocument(parsing: Data(Self.xml.utf8)))
        #expect(error.code == "005056A509B11EE1B9A8FEC11C21578E")
        #expect(error.message == "Invalid key & more")
        #expect(error.language == "en")
        #expect(error.innerError?["transactionid"]?.string == "4F2A")
        #expect(error.innerError?["errordetails"]?["errordetail"]?[1]?["code"]?.string == "A/2")
    }

    @Test func `S41: a huge error document is not parsed`() throws {
        let padding = String(repeating: " ", count: ODataErrorDocument.sizeLimit)
        #expect(ODataErrorDocument(parsing: Data((Self.xml + padding).utf8)) == nil)
        #expect(ODataErrorDocument(parsing: Data((Self.xml + padding.dropLast(Self.xml.utf8.count)).utf8)) != nil)
    }

    @Test func `S41: the prefix of the namespace does not matter`() throws {
        let text = """
            <m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>C</m:code>\
            <m:message xml:lang="de">Nein</m:message></m:error>
            """
        let error = try #require(ODataErrorDocument(parsing: Data(text.utf8)))
        #expect(error.code == "C" && error.message == "Nein" && error.language == "de" && error.innerError == nil)
    }

    @Test(arguments: [
        #"{"error":{"code":"X/005","message":{"lang":"en","value":"Invalid key"},"innererror":{"id":7}}}"#,
        #"  {"odata.error":{"code":"X/005","message":{"lang":"en","value":"Invalid key"},"innererror":{"id":7}}}"#,
        "\u{FEFF}" + #"{"error":{"code":"X/005","message":{"lang":"en","value":"Invalid key"},"innererror":{"id":7}}}"#,
    ])
    func `S41: a JSON error has code, message, language and inner error`(text: String) throws {
        let error = try #require(ODataErrorDocument(parsing: Data(text.utf8)))
        #expect(error.code == "X/005" && error.message == "Invalid key" && error.language == "en")
        #expect(error.innerError?["id"]?.integer == 7)
    }

    @Test func `S41: a plain message of JSON, without language`() throws {
        let error = try #require(ODataErrorDocument(parsing: Data(#"{"error":{"code":4,"message":"No"}}"#.utf8)))
        #expect(error.code == "4" && error.message == "No" && error.language == nil)
    }

    @Test(arguments: [
        "", "Bad Gateway", "<html><body>Login</body></html>", "<error><code>1</code></error>", "<error", "{}", "[]",
        #"{"error":"x"}"#, "{\"error\":",
    ])
    func `S41: other bodies are not errors, and stay available`(text: String) throws {
        let body = Data(text.utf8)
        #expect(ODataErrorDocument(parsing: body) == nil)
        let response = HTTPResponse(status: .badGateway, body: body, url: try URL(httpString: "http://h/p?token=t"))
        let error = try #require(ODataError(response))
        #expect(error.code == .service && error.document == nil && error.statusCode == 502)
        #expect(error.rawBody == body)
        #expect(!error.description.contains("token=t"))
    }

    @Test(arguments: [String.Encoding.isoLatin1, .utf16BigEndian, .utf8])
    func `JSON of another encoding is read, and XML by its own declaration`(encoding: String.Encoding) throws {
        let type = encoding == .isoLatin1 ? "application/json; charset=iso-8859-1" : "application/json"
        func response(_ status: HTTPStatus, _ text: String, _ encoding: String.Encoding) throws -> HTTPResponse {
            HTTPResponse(
                status: status, fields: try HTTPFields(["Content-Type": type]),
                body: try #require(text.data(using: encoding)), url: try URL(httpString: "http://h/Flights"))
        }
        let list = try response(.ok, #"{"d":{"results":[{"City":"Zürich"}]}}"#, encoding)
        #expect(try list.decoded(as: .odataCollection([String: String].self)).values == [["City": "Zürich"]])
        let entry = try response(.ok, #"{"d":{"City":"Zürich"}}"#, encoding)
        #expect(try entry.decoded(as: .odataEntry([String: String].self)).value == ["City": "Zürich"])
        let json = try response(.badRequest, #"{"error":{"code":"1","message":"Zürich"}}"#, encoding)
        #expect(ODataError(json)?.document?.message == "Zürich")
        let xml = try response(.badRequest, Self.xml.replacing("Invalid", with: "Zürich"), .utf8)
        #expect(ODataError(xml)?.document?.message == "Zürich key & more")
    }

    @Test(arguments: ["<html><br></html>", "<!DOCTYPE html><html/>", "<html/>", "Sign in"])
    func `a page instead of a document is named`(page: String) throws {
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": "text/html; charset=utf-8"]), body: Data(page.utf8),
            url: try URL(httpString: "http://h/Flights"))
        let error = #expect(throws: ODataError.self) { try response.decoded(as: .odataEntry(JSONValue.self)) }
        #expect(error?.message.contains("http://h/Flights: ") == true)
        #expect(error?.message.contains("text/html: ") == true)
        #expect(error?.message.hasSuffix("The server sent a page, perhaps a login; check the session.") == true)
    }

    @Test func `a successful response is no error`() throws {
        let url = try URL(httpString: "http://h/")
        #expect(ODataError(HTTPResponse(status: .ok, body: Data(Self.xml.utf8), url: url)) == nil)
    }
}
