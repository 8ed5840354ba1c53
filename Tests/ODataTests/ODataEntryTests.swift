import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing
import Transport

@testable import OData

struct ODataEntryTests {
    private struct Flight: Decodable, Hashable, Sendable {
        struct Carrier: Decodable, Hashable, Sendable {
            let Name: String
            let Code: String?
        }
        enum Kind: String, Decodable, Hashable, Sendable {
            case scheduled = "S"
            case charter = "C"
        }
        struct Booking: Decodable, Hashable, Sendable { let Number: Int }

        let ID: String
        let Seats: Int32
        let Miles: Int64
        let Price: Decimal
        let Load: Double
        let Cancelled: Bool
        let Departure: Date
        let Kind: Kind
        let Token: UUID
        let Photo: Data
        let Carrier: Carrier
        let Remark: String?
        let Bookings: [Booking]?
        let Crew: [Booking]?
    }

    private static let expected = Flight(
        ID: "LH400", Seats: 350, Miles: 9_007_199_254_740_993, Price: Decimal(string: "422.94") ?? 0, Load: 0.5,
        Cancelled: true, Departure: Date(timeIntervalSince1970: 1_272_931_140), Kind: .charter,
        Token: UUID(uuidString: "8E3D0D43-1E6B-4B0A-9C55-0A2C8A7E6F10") ?? UUID(), Photo: Data("Hello".utf8),
        Carrier: Flight.Carrier(Name: "Lufthansa", Code: nil), Remark: nil,
        Bookings: [Flight.Booking(Number: 1), Flight.Booking(Number: 2)], Crew: nil)

    private static let json = """
        {"__metadata":{"id":"http://h/s/Flights('LH400')","uri":"http://h/s/Flights('LH400')","etag":"W/\\"1\\"",
        "type":"S.Flight"},"ID":"LH400","Seats":350,"Miles":"9007199254740993","Price":"422.94","Load":0.5,
        "Cancelled":true,"Departure":"/Date(1272931140000)/","Kind":"C",
        "Token":"8e3d0d43-1e6b-4b0a-9c55-0a2c8a7e6f10","Photo":"SGVsbG8=","Carrier":{"__metadata":{"type":"S.Carrier"},
        "Name":"Lufthansa","Code":null},"Remark":null,"Bookings":{"results":[{"Number":1},{"Number":2}]},
        "Crew":{"__deferred":{"uri":"http://h/s/Flights('LH400')/Crew"}}}
        """

    private static func atom(_ head: String = "", seats: String = "<d:Seats m:type=\"Edm.Int32\">350</d:Seats>")
        -> String
    {
        """
        <entry xmlns="http://www.w3.org/2005/Atom" xml:base="http://h/s/" m:etag="W/&quot;1&quot;"
         xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
         xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices">
        <id>http://h/s/Flights('LH400')</id><category term="S.Flight" scheme="x"/>\(head)
        <link rel="edit" title="Flight" href="Flights('LH400')"/>
        <link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/Crew" title="Crew"
         type="application/atom+xml;type=feed" href="Flights('LH400')/Crew"/>
        <link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/Bookings" title="Bookings"
         href="Flights('LH400')/Bookings"><m:inline><feed>
          <entry><content type="application/xml"><m:properties><d:Number m:type="Edm.Int32">1</d:Number></m:properties>
          </content></entry>
          <entry><content type="application/xml"><m:properties><d:Number m:type="Edm.Int32">2</d:Number></m:properties>
          </content></entry></feed></m:inline></link>
        <content type="application/xml"><m:properties><d:ID>LH400</d:ID>\(seats)
        <d:Miles m:type="Edm.Int64">9007199254740993</d:Miles><d:Price m:type="Edm.Decimal">422.94</d:Price>
        <d:Load m:type="Edm.Double">5.0E-1</d:Load><d:Cancelled m:type="Edm.Boolean">true</d:Cancelled>
        <d:Departure m:type="Edm.DateTime">2010-05-03T23:59:00</d:Departure><d:Kind>C</d:Kind>
        <d:Token m:type="Edm.Guid">8e3d0d43-1e6b-4b0a-9c55-0a2c8a7e6f10</d:Token>
        <d:Photo m:type="Edm.Binary">SGVsbG8=</d:Photo><d:Carrier m:type="S.Carrier"><d:Name>Lufthansa</d:Name>
        <d:Code m:null="true"/></d:Carrier><d:Remark m:null="true"/></m:properties></content></entry>
        """
    }

    @Test(arguments: ["json", "atom"])
    func `an entry decodes alike from JSON and Atom`(format: String) throws {
        let text = format == "json" ? "{\"d\":\(Self.json)}" : Self.atom()
        let entry = try ODataEntry(parsing: Data(text.utf8), as: Flight.self)
        #expect(entry.value == Self.expected)
        #expect(entry.id == "http://h/s/Flights('LH400')" && entry.editLink == "http://h/s/Flights('LH400')")
        #expect(entry.etag == "W/\"1\"" && entry.type == "S.Flight" && entry.mediaLink == nil)
        let crew = entry.links.first { $0.title == "Crew" }
        #expect(crew?.href == "http://h/s/Flights('LH400')/Crew")
        #expect(crew?.relation == "http://schemas.microsoft.com/ado/2007/08/dataservices/related/Crew")
    }

    @Test(arguments: [
        #"{"d":{"results":[{"ID":"a"},{"ID":"b"}],"__count":"5","__next":"http://h/s/F?$skiptoken=2"}}"#,
        """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://h/s/"
         xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
         xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><m:count>5</m:count>
        <entry><content type="application/xml"><m:properties><d:ID>a</d:ID></m:properties></content></entry>
        <entry><content type="application/xml"><m:properties><d:ID>b</d:ID></m:properties></content></entry>
        <link rel="next" href="F?$skiptoken=2"/></feed>
        """,
    ])
    func `a collection has entries, count and next page`(text: String) throws {
        let collection = try ODataCollection(parsing: Data(text.utf8), as: [String: String].self)
        #expect(collection.values == [["ID": "a"], ["ID": "b"]])
        #expect(collection.count == 5 && collection.nextLink == "http://h/s/F?$skiptoken=2")
    }

    @Test func `an entry of OData 4 has its annotations`() throws {
        let text = """
            {"@odata.context":"http://h/s/$metadata#Flights/$entity","@odata.id":"Flights('LH400')",
            "@odata.etag":"W/\\"1\\"","@odata.type":"#S.Flight","@odata.mediaReadLink":"Flights('LH400')/$value",
            "@odata.mediaContentType":"image/png","ID":"LH400","Seats":350,"Miles":9007199254740993,"Price":422.94,
            "Load":0.5,"Cancelled":true,"Departure":"2010-05-03T23:59:00Z","Kind":"C",
            "Token":"8e3d0d43-1e6b-4b0a-9c55-0a2c8a7e6f10","Photo@odata.mediaContentType":"image/png",
            "Photo":"SGVsbG8=","Carrier":{"@odata.type":"#S.Carrier","Name":"Lufthansa","Code":null},"Remark":null,
            "Bookings@odata.context":"http://h/s/$metadata#Bookings","Bookings":[{"Number":1},{"Number":2}],
            "Bookings@odata.navigationLink":"Flights('LH400')/Bookings",
            "Crew@odata.navigationLink":"Flights('LH400')/Crew"}
            """
        // OData 4.01 leaves out the prefix.
        for text in [text, text.replacing("@odata.", with: "@")] {
            let entry = try ODataEntry(parsing: Data(text.utf8), as: Flight.self)
            #expect(entry.value == Self.expected && entry.etag == "W/\"1\"" && entry.type == "S.Flight")
            #expect(entry.id == "http://h/s/Flights('LH400')" && entry.editLink == entry.id)
            #expect(entry.mediaLink == "http://h/s/Flights('LH400')/$value" && entry.mediaType == "image/png")
            #expect(entry.links.map(\.title) == ["Crew"])
            #expect(entry.links.first?.href == "http://h/s/Flights('LH400')/Crew")
        }
    }

    @Test func `a collection of OData 4 has entries, count and next page`() throws {
        struct Item: Decodable, Sendable { let ID: String }
        let text = """
            {"@odata.context":"http://h/s/$metadata#Flights","@odata.count":5,
            "value":[{"@odata.id":"Flights('a')","ID":"a"},{"ID":"b"}],"@odata.nextLink":"Flights?$skiptoken=2"}
            """
        let flights = try ODataCollection(parsing: Data(text.utf8), as: Item.self)
        #expect(flights.values.map(\.ID) == ["a", "b"] && flights.count == 5)
        #expect(flights.entries.map(\.id) == ["http://h/s/Flights('a')", nil])
        #expect(flights.nextLink == "http://h/s/Flights?$skiptoken=2")
        let error = #expect(throws: ODataError.self) {
            try ODataCollection(parsing: Data(#"{"value":[{"ID":"a"},5]}"#.utf8), as: Item.self)
        }
        #expect(error?.code == .unexpectedDocument && error?.element == "entries[1]")
    }

    @Test func `an entry of OData 4 may have a property named value`() throws {
        let text = #"{"@odata.context":"http://h/s/$metadata#Settings/$entity","value":"on"}"#
        #expect(try ODataEntry(parsing: Data(text.utf8), as: [String: String].self).value == ["value": "on"])
    }

    @Test func `a collection of OData 1, and one without entries`() throws {
        #expect(try ODataCollection(parsing: Data(#"{"d":[{"ID":"a"}]}"#.utf8), as: JSONValue.self).values.count == 1)
        let empty = try ODataCollection(parsing: Data(#"{"d":{"results":[]}}"#.utf8), as: JSONValue.self)
        #expect(empty.entries.isEmpty && empty.count == nil && empty.nextLink == nil)
    }

    @Test func `a media link entry has its properties outside of the content`() throws {
        let text = """
            <entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
             xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xml:base="http://h/s/">
            <content type="image/png" src="Photos(1)/$value"/><m:properties><d:ID>1</d:ID></m:properties></entry>
            """
        let entry = try ODataEntry(parsing: Data(text.utf8), as: [String: String].self)
        #expect(entry.value == ["ID": "1"] && entry.mediaLink == "http://h/s/Photos(1)/$value")
        #expect(entry.mediaType == "image/png")
    }

    private struct Narrow: Decodable, Sendable {
        struct Inner: Decodable, Sendable { let Level: Int8 }
        let Inner: Inner
    }

    @Test func `errors name the element and what was found`() throws {
        func failure<Value: Decodable & Sendable>(_ text: String, _ type: Value.Type) -> ODataError? {
            #expect(throws: ODataError.self) { try ODataCollection(parsing: Data(text.utf8), as: type) }
        }
        func collection(_ entry: String) -> String { #"{"d":{"results":[{"Inner":{"Level":1}},"# + entry + "]}}" }

        let tooLarge = failure(collection(#"{"Inner":{"Level":1000}}"#), Narrow.self)
        #expect(tooLarge?.code == .unexpectedValue && tooLarge?.element == "entries[1].Inner.Level")
        #expect(tooLarge?.message == "entries[1].Inner.Level: expected Int8, found a number.")
        let text = failure(collection(#"{"Inner":{"Level":"many"}}"#), Narrow.self)
        #expect(text?.message == "entries[1].Inner.Level: expected Int8, found text.")
        let missing = failure(collection(#"{"Inner":{}}"#), Narrow.self)
        #expect(missing?.code == .missingValue && missing?.message == "entries[1].Inner.Level is missing.")
        let null = failure(collection(#"{"Inner":{"Level":null}}"#), Narrow.self)
        #expect(null?.code == .missingValue && null?.message == "entries[1].Inner.Level: expected Int8, found null.")
        let scalar = failure(collection(#"{"Inner":7}"#), Narrow.self)
        #expect(
            scalar?.code == .unexpectedValue
                && scalar?.message == "entries[1].Inner: expected an object, found a number.")
        let deferred = failure(collection(#"{"Inner":{"__deferred":{"uri":"x"}}}"#), Narrow.self)
        #expect(deferred?.code == .missingValue && deferred?.message.contains("$expand") == true)
        let secret = failure(#"{"d":{"results":[{"Password":"swordfish"}]}}"#, [String: Int].self)
        #expect(secret?.message == "entries[0].Password: expected Int, found text.")
        let inner = failure(#"{"d":{"results":[{"Token":{"Value":"swordfish"}}]}}"#, [String: [String: Int]].self)
        #expect(inner?.message == "entries[0].Token.Value: expected Int, found text.")
        enum Style: String, Decodable { case solid }
        let style = failure(#"{"d":{"results":[{"Style":"swordfish"}]}}"#, [String: Style].self)
        #expect(style?.code == .unexpectedValue && style?.message == "entries[0].Style: expected Style, found text.")
        let range = failure(#"{"d":{"results":[{"R":["swordfish","a"]}]}}"#, [String: ClosedRange<String>].self)
        #expect(range?.message == "entries[0].R: expected ClosedRange<String>, found an array.")
    }

    @Test func `an Atom value of another type is named with its type`() {
        let text = Self.atom(seats: "<d:Seats m:type=\"Edm.String\">lots</d:Seats>")
        let error = #expect(throws: ODataError.self) { try ODataEntry(parsing: Data(text.utf8), as: Flight.self) }
        #expect(error?.message == "Seats: expected Int32, found text (Edm.String).")
        #expect(error?.element == "Seats")
    }

    @Test(arguments: [
        (#"{"d":{"results":[]}}"#, ODataError.Code.unexpectedDocument), (#"{"x":1}"#, .unexpectedDocument),
        (#"{"@odata.context":"$metadata#Flights","value":[]}"#, .unexpectedDocument),
        (#"{"@odata.context":"$metadata#Flights('LH400')/Seats","value":350}"#, .unexpectedDocument),
        ("<feed xmlns=\"http://www.w3.org/2005/Atom\"/>", .unexpectedDocument), ("<html/>", .unexpectedDocument),
        ("", .malformed), ("OK", .malformed), (#"{"d":"#, .malformed), ("<entry>", .malformed),
    ])
    func `other documents than an entry`(text: String, code: ODataError.Code) {
        let error = #expect(throws: ODataError.self) {
            try ODataEntry(parsing: Data(text.utf8), as: JSONValue.self)
        }
        #expect(error?.code == code)
    }

    @Test(
        arguments: [
            ("/Date(1272931140000)/", 1_272_931_140.0), ("/Date(1272931140123+0060)/", 1_272_931_140.123),
            ("/Date(-86400000)/", -86400), ("2010-05-03T23:59:00", 1_272_931_140), ("2010-05-03T23:59", 1_272_931_140),
            ("2010-05-04T00:59:00.5+01:00", 1_272_931_140.5), ("2010-05-03T18:59:00-05:00", 1_272_931_140),
            ("2012-02-29T00:00:00Z", 1_330_473_600), ("1900-03-01T00:00:00", -2_203_891_200),
            ("1969-12-31T00:00:00Z", -86400), ("2010-06-31T00:00:00", nil), ("2011-02-29T00:00:00", nil),
            ("/Date(253402300799000)/", 253_402_300_799), ("/Date(-62135596800000)/", -62_135_596_800),
            ("/Date(253402300800000)/", nil), ("/Date(-62135596800001)/", nil), ("/Date(999999999999999999)/", nil),
            ("/Date(9999999999999999999)/", nil), ("2010-05-03", nil), ("/Date(x)/", nil), ("/Date(1)", nil),
            ("2010-05-03T24:00:00", nil), ("", nil), ("9999-12-31T23:59:59.9999999Z", 253_402_300_800.0.nextDown),
            ("9999-12-31T23:59:59.9999999", 253_402_300_800.0.nextDown), ("9999-12-31T23:59:59.9999999-00:01", nil),
        ] as [(String, Double?)])
    func `dates of JSON and Atom`(text: String, seconds: Double?) {
        #expect(Date(odata: text)?.timeIntervalSince1970 == seconds)
    }

    @Test func `numbers keep their precision and range`() throws {
        struct Numbers: Decodable, Hashable, Sendable {
            let a: Decimal
            let b: Double
            let c: UInt8
        }
        let entry = try ODataEntry(
            parsing: Data(#"{"d":{"a":"1234567890.123456789M","b":"INF","c":255}}"#.utf8), as: Numbers.self)
        #expect(entry.value == Numbers(a: Decimal(string: "1234567890.123456789") ?? 0, b: .infinity, c: 255))
        let number = try ODataEntry(
            parsing: Data(#"{"d":{"a":90071992547409.93,"b":90071992547409.93,"c":1}}"#.utf8), as: Numbers.self)
        #expect(
            number.value == Numbers(a: Decimal(string: "90071992547409.93") ?? 0, b: 90_071_992_547_409.93, c: 1))
        for text in [
            #"{"a":"1 000","b":0,"c":0}"#, #"{"a":"1","b":"x","c":0}"#, #"{"a":"1","b":0,"c":-1}"#,
            #"{"a":"1e99999999999999999999","b":0,"c":0}"#,
        ] {
            #expect(throws: ODataError.self) {
                try ODataEntry(parsing: Data("{\"d\":\(text)}".utf8), as: Numbers.self)
            }
        }
    }

    @Test func `an integer with a fraction or an exponent is exact`() throws {
        let entry = try ODataEntry(
            parsing: Data(#"{"d":{"a":9007199254740993.0,"b":12345678901234567e2,"c":1.5e1}}"#.utf8),
            as: [String: Int64].self)
        #expect(entry.value == ["a": 9_007_199_254_740_993, "b": 1_234_567_890_123_456_700, "c": 15])
        for text in ["9007199254740993.5", "12345678901234567e3", "12345678901234567e-1", "\"1.5\"", "\"true\""] {
            #expect(throws: ODataError.self) {
                try ODataEntry(parsing: Data("{\"d\":{\"x\":\(text)}}".utf8), as: [String: Int64].self)
            }
        }
    }

    @Test(arguments: ["1e300", "\"1e300\"", "-1e39"]) func `a number beyond the range of Float is an error`(
        text: String
    ) {
        let error = #expect(throws: ODataError.self) {
            try ODataEntry(parsing: Data("{\"d\":{\"x\":\(text)}}".utf8), as: [String: Float].self)
        }
        #expect(error?.code == .unexpectedValue && error?.element == "x")
        #expect(throws: Never.self) {
            let entry = try ODataEntry(
                parsing: Data(#"{"d":{"x":"INF","y":3.4028234e38,"z":"-INF","n":"NaN"}}"#.utf8),
                as: [String: Float].self)
            #expect(entry.value["x"] == .infinity && entry.value["y"] == .greatestFiniteMagnitude)
            #expect(entry.value["z"] == -.infinity && entry.value["n"]?.isNaN == true)
        }
    }

    /// A type that tries, as many do for JSON of unknown form.
    private struct Either: Decodable, Sendable {
        let number: Double?
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(Bool.self)) != nil {
                number = nil
            } else {
                number = try container.decode(Double.self)
            }
        }
    }

    @Test func `values below a long name take linear time, and errors are short`() throws {
        let name = String(repeating: "k", count: 1 << 20)
        func body(_ last: String) -> Data {
            Data("{\"d\":{\"\(name)\":[\(String(repeating: "1,", count: 50_000))\(last)]}}".utf8)
        }
        let entry = try ODataEntry(parsing: body("1"), as: [String: [Either]].self)
        #expect(entry.value[name]?.count == 50_001)
        let error = #expect(throws: ODataError.self) {
            try ODataEntry(parsing: body("\"swordfish\""), as: [String: [Either]].self)
        }
        let shown = name.prefix(64) + "…[50000]"
        // The rest of the name may say that the value is a secret.
        #expect(error?.element == String(shown) && error?.message == "\(shown): expected Double, found text.")
        let deep =
            String(repeating: #"{"abcdefghijklmnopqrstuvwxyz":"#, count: 30) + "\"swordfish\""
            + String(repeating: "}", count: 30)
        let other = #expect(throws: ODataError.self) {
            try ODataEntry(parsing: Data("{\"d\":\(deep)}".utf8), as: Chain.self)
        }
        #expect(other?.element?.utf8.count ?? 0 < 320 && other?.message.contains("swordfish") == false)
    }

    /// Objects within each other.
    private struct Chain: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            for value in try decoder.singleValueContainer().decode([String: Chain].self) { _ = value }
        }
    }

    @Test func `optional JSON values keep their text`() throws {
        let entry = try ODataEntry(
            parsing: Data(#"{"d":{"a":["1","true",null,2]}}"#.utf8), as: [String: [JSONValue?]].self)
        #expect(entry.value == ["a": ["1", "true", nil, 2]])
    }

    @Test func `a response decodes to a typed result, or throws with the response`() async throws {
        let transport = FakeTransport { request in
            request.url.path().hasSuffix("Bad")
                ? request.response(.badRequest, text: #"{"error":{"code":"E1","message":"No"}}"#)
                : request.response(text: "{\"d\":{\"results\":[\(Self.json)]}}")
        }
        let flights = try await transport.send(HTTPRequest(.get, "http://h/s/Flights"))
        #expect(try flights.decoded(as: .odataCollection(Flight.self)).values == [Self.expected])
        let entry = #expect(throws: ODataError.self) { try flights.decoded(as: .odataEntry(Flight.self)) }
        #expect(entry?.code == .unexpectedDocument && entry?.failingURL == "http://h/s/Flights")
        let bad = try await transport.send(HTTPRequest(.get, "http://h/s/Bad"))
        let error = #expect(throws: ODataError.self) { try bad.decoded(as: ODataEntryDecoder(Flight.self)) }
        #expect(error?.statusCode == 400 && error?.document?.code == "E1" && error?.failingURL == "http://h/s/Bad")
    }
}
