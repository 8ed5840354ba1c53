import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

struct ODataRequestTests {
    private struct Flight: Decodable, Hashable, Sendable { let Seats: Int }

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

    @Test func `S41: the error of a request is parsed once`() async throws {
        let transport = ScriptedTransport { $0.response(.notFound, text: Self.xml) }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        #expect(request.odataError == nil)
        await request.ended()
        let error = try #require(request.odataError)
        #expect(error.document?.message == "Invalid key & more" && error.statusCode == 404)
        request.update { $0.body = Data("{}".utf8) }
        #expect(request.odataError?.document == error.document && request.odataError?.rawBody == error.rawBody)

        let other = SDMSession.test(ScriptedTransport { $0.response(text: Self.xml) }).get(request.url)
        await other.ended()
        #expect(other.odataError == nil)
    }

    @Test func `S41: a finished request has the service's error`() async throws {
        let session = SDMSession.test(ServiceTransport { $0.response(.notFound, text: Self.xml) })
        let request = session.get(URL(string: "http://example.com/Flights('X')"))
        #expect(request.odataError == nil)
        #expect(throws: ODataError.self) { try request.odataEntry(of: JSONValue.self) }
        try await request.response()
        #expect(request.error == nil && request.responseStatusCode == 404)
        #expect(request.odataError?.document?.code == "005056A509B11EE1B9A8FEC11C21578E")
        let error = #expect(throws: ODataError.self) { try request.odataEntry(of: JSONValue.self) }
        #expect(error?.code == .service && error?.description.contains("Invalid key & more") == true)
    }

    @Test func `a finished request has its entries as typed values`() async throws {
        let json = #"{"d":{"results":[{"Seats":349}]}}"#
        let request = SDMSession.test(ServiceTransport { $0.response(text: json) }).get(URL(string: "http://h/Flights"))
        let flights = try await request.response().decoded(as: .odataCollection(Flight.self))
        #expect(flights.values == [Flight(Seats: 349)])
        #expect(try request.odataCollection(of: Flight.self).values == [Flight(Seats: 349)])
    }

    @Test func `the error and the entries of a download are read from its file`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "flights")
        let session = SDMSession.test(
            ServiceTransport { request in
                switch request.url.path() {
                case "/Bad": request.response(.badRequest, text: Self.xml)
                case "/Empty": request.response(.notFound)
                default: request.response(text: #"{"d":{"results":[{"Seats":349}]}}"#)
                }
            })
        let flights = session.get(URL(string: "http://h/Flights"))
        try await flights.download(to: file)
        #expect(flights.odataError == nil && flights.responseData == nil)
        #expect(try flights.odataCollection(of: Flight.self).values == [Flight(Seats: 349)])
        let bad = session.get(URL(string: "http://h/Bad"))
        try await bad.download(to: file)
        #expect(bad.odataError?.document?.message == "Invalid key & more")
        #expect(bad.odataError?.rawBody == Data(Self.xml.utf8))
        // It leaves the file of the request before it.
        let empty = session.get(URL(string: "http://h/Empty"))
        try await empty.download(to: file)
        #expect(empty.odataError?.statusCode == 404 && empty.odataError?.rawBody.isEmpty == true)
    }
    @Test func `the file of an earlier download is not the body of one that was cut`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "flights")
        try Data(#"{"d":{"results":[{"Seats":1}]}}"#.utf8).write(to: file)
        let service = ClosureService { $0.response(text: #"{"d":{"results":[{"Seats":349}]}}"#) }
        let transport = ScriptedTransport([.service(service, with: .close(.inBody))])
        let flights = SDMSession.test(transport).get(URL(string: "http://h/Flights"))
        await #expect(throws: SDMError.self) { try await flights.download(to: file) }
        #expect(throws: ODataError.self) { try flights.odataCollection(of: Flight.self) }
    }
}
