import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct SAPDataTests {
    private let path = "/FlightProxy/Flights"
    private let atom = ["Accept": "application/atom+xml"]

    @Test func `the service document lists the collection`() async throws {
        let client = try await SAPClient.registered()
        for path in ["/FlightProxy", "/FlightProxy/"] {
            let response = try await client.get(path)
            #expect(response.fields[.contentType] == "application/atomsvc+xml;charset=utf-8")
            #expect(response.text.contains("xml:base=\"http://sap.test:8080/FlightProxy/\""))
            #expect(response.text.contains("<collection href=\"Flights\">"))
        }
        #expect(try await client.get("/FlightProxy?$format=json").json == ["d": ["EntitySets": ["Flights"]]])
    }

    @Test func `a collection in JSON has typed values`() async throws {
        let client = try await SAPClient.registered()
        let response = try await client.get(path + "?$format=json&$top=2&sap-language=EN")
        #expect(response.fields[.contentType] == "application/json;charset=utf-8")
        #expect(response.fields["DataServiceVersion"] == "2.0")
        let results = try #require(response.json["d"]?["results"]?.array)
        #expect(results.map { $0["ID"] } == ["AA17", "LH400"])
        #expect(
            results[1] == [
                "__metadata": [
                    "uri": "http://sap.test:8080/FlightProxy/Flights('LH400')", "type": "PATCHBAY.Flight",
                    "etag": "W/\"1\"",
                ], "ID": "LH400", "Carrier": "LH", "Seats": 350, "Price": "499.90",
                "Departure": "/Date(1393669800000)/", "Cancelled": nil,
            ])
        let rest = try await client.get(path + "?%24format=json&%24skip=2").json["d"]?["results"]?.array
        #expect(rest?.map { $0["ID"] } == ["SQ2"])
    }

    @Test func `a collection in Atom has the same values`() async throws {
        let client = try await SAPClient.registered()
        let response = try await client.get(path, atom)
        #expect(response.fields[.contentType] == "application/atom+xml;type=feed;charset=utf-8")
        #expect(response.text.components(separatedBy: "<entry").count == 4)
        let properties = try #require(AtomEntryParser.properties(of: try await client.get(path + "('LH400')").body))
        #expect(
            properties == [
                "ID": "LH400", "Carrier": "LH", "Seats": "350", "Price": "499.90", "Departure": "2014-03-01T10:30:00",
                "Cancelled": nil,
            ])
    }

    @Test(arguments: ["<e? a='1'/>", "<e a?='1'/>"])
    func `an entry with a name that is not UTF-8 is refused`(text: String) {
        let document = Data(text.utf8.map { $0 == UInt8(ascii: "?") ? 0xC3 : $0 })
        #expect(AtomEntryParser.properties(of: document) == nil)
    }

    @Test(
        arguments: [
            ("", nil, false), ("", "*/*", false), ("", "application/json", true),
            ("$format=atom", "application/json", false),
            ("$format=json", "application/atom+xml", true), ("", "text/html, application/json;q=0.5", true),
            ("", "application/json;q=0.5, application/atom+xml", false),
            ("", "application/json, application/xml", true),
            ("", "application/json;q=0", false),
        ] as [(String, String?, Bool)])
    func `the format is that of $format, then of Accept`(query: String, accept: String?, isJSON: Bool) async throws {
        let client = try await SAPClient.registered()
        let fields = accept.map { ["Accept": $0] } ?? [:]
        let response = try await client.get(path + "?" + query, fields)
        #expect(response.fields[.contentType]?.hasPrefix("application/json") == isJSON)
        // An error has the same format.
        let error = try await client.get(path + "('none')?" + query, fields)
        #expect(error.status == 404)
        let code =
            isJSON ? error.json["error"]?["code"]?.string : error.text.contains("<code>NOT_FOUND") ? "NOT_FOUND" : nil
        #expect(code == "NOT_FOUND")
        if isJSON { #expect(error.json["error"]?["message"] == ["lang": "en", "value": "No such resource"]) }
    }

    @Test(arguments: [
        ("$top=-1", 400), ("$top=x", 400), ("$top=", 400), ("$skip=x", 400), ("$format=yaml", 400), ("$filter=a", 501),
        ("$top=0", 200), ("$top=99&$skip=99", 200),
    ])
    func `query options are checked`(query: String, status: Int) async throws {
        #expect(try await SAPClient.registered().get(path + "?" + query).status == status)
    }

    @Test func `create in JSON and Atom, also with a quote in the key`() async throws {
        let client = try await SAPClient.registered()
        let created = try await client.write(
            "POST", path + "?$format=json",
            ["ID": "O'H 1", "Carrier": nil, "Seats": 2, "Departure": "/Date(0)/", "Cancelled": false])
        #expect(created.status == 201 && created.fields[.etag] == "W/\"1\"")
        let location = "http://sap.test:8080/FlightProxy/Flights('O''H%201')"
        #expect(created.fields[.location] == location)
        #expect(created.json["d"]?["__metadata"]?["uri"] == .string(location))
        let read = try await client.get(String(location.dropFirst("http://sap.test:8080".count)) + "?$format=json")
        #expect(read.json == created.json)
        #expect(
            client.service.flights["O'H 1"]
                == ["Seats": "2", "Departure": "1970-01-01T00:00:00", "Cancelled": "false"])

        let fields = SAPClient.atomType.merging(["X-Requested-With": "XMLHttpRequest"]) { $1 }
        let body =
            "<d:Seats m:type=\"Edm.Int32\">7</d:Seats><d:Price m:null=\"true\"/><d:Carrier><![CDATA[a&b]]></d:Carrier>"
        let generated = try await client.send("POST", path, fields: fields, body: body.entry)
        #expect(generated.status == 201)
        #expect(client.service.flights["id-2"] == ["Seats": "7", "Carrier": "a&b"])
        #expect(try await client.write("POST", path, ["ID": "LH400"]).status == 409)
    }

    @Test(
        arguments: [
            ["Seats": "350"], ["Seats": 1.5], ["Seats": 3_000_000_000], ["Price": 1], ["Price": "1,5"],
            ["Cancelled": "true"],
            ["Departure": "2014-03-01T10:30:00"], ["Departure": "/Date(x)/"],
            ["Departure": "/Date(9223372036854775807)/"], ["Departure": "/Date(253402300800000)/"], ["Unknown": "1"],
            "text", [1],
        ] as [JSONValue])
    func `invalid values are refused`(json: JSONValue) async throws {
        let client = try await SAPClient.registered()
        #expect(try await client.write("POST", path, json).status == 400)
        #expect(client.service.flights.count == 3)
    }

    @Test func `another media type is refused`() async throws {
        let client = try await SAPClient.registered()
        let fields = ["Content-Type": "text/plain", "X-Requested-With": "XMLHttpRequest"]
        #expect(try await client.send("POST", path, fields: fields, body: "{}").status == 400)
    }

    @Test func `update, merge and delete change the ETag`() async throws {
        let client = try await SAPClient.registered()
        let own = path + "('LH400')"
        let merged = try await client.write("MERGE", own, ["Seats": 1, "Price": nil])
        #expect(merged.status == 204 && merged.fields[.etag] == "W/\"2\"")
        #expect(
            client.service.flights["LH400"] == ["Carrier": "LH", "Seats": "1", "Departure": "2014-03-01T10:30:00"])
        #expect(try await client.write("PATCH", own, ["Seats": 2]).fields[.etag] == "W/\"3\"")
        let replaced = try await client.write("PUT", own, ["d": ["ID": "LH400", "Seats": 3, "__metadata": [:]]])
        #expect(replaced.status == 204 && client.service.flights["LH400"] == ["Seats": "3"])
        #expect(try await client.write("PUT", own, ["ID": "other"]).status == 400)
        #expect(try await client.write("DELETE", own, [:]).status == 204)
        #expect(try await client.write("DELETE", own, [:]).status == 404)
        #expect(try await client.write("POST", own, [:]).status == 405)
        #expect(try await client.write("DELETE", path, [:]).status == 405)
    }

    @Test func `If-Match guards a change`() async throws {
        let client = try await SAPClient.registered()
        let own = path + "('LH400')"
        client.service.changeFlight("LH400", ["Seats": "351"])
        let stale = try await client.write("PUT", own + "?$format=json", ["Seats": 1], ifMatch: "W/\"1\"")
        #expect(stale.status == 412 && stale.json["error"]?["code"] == "PRECONDITION")
        #expect(client.service.flights["LH400"]?["Seats"] == "351")
        #expect(try await client.write("PUT", own, ["Seats": 1], ifMatch: "\"9\", W/\"2\"").status == 204)
        #expect(try await client.write("DELETE", own, [:], ifMatch: "*").status == 204)
        let strict = try await SAPClient.registered { $0.requiresIfMatch = true }
        #expect(try await strict.write("PUT", own, ["Seats": 1]).status == 428)
        #expect(try await strict.write("PUT", own, ["Seats": 1], ifMatch: "W/\"1\"").status == 204)
    }

    @Test func `If-None-Match returns 304 for an unchanged flight`() async throws {
        let client = try await SAPClient.registered()
        let own = path + "('LH400')"
        for (tag, status) in [("W/\"1\"", 304), ("*", 304), ("W/\"2\"", 200)] {
            let response = try await client.get(own, ["If-None-Match": tag])
            #expect(response.status == status && response.body.isEmpty == (status == 304))
            #expect(response.fields[.etag] == "W/\"1\"")
        }
    }

    @Test func `downloads have the requested size`() async throws {
        let client = try await SAPClient.registered()
        #expect(try await client.get("/FlightProxy/Download/100000").body == Data(repeating: 0x2E, count: 100_000))
        #expect(try await client.get("/FlightProxy/Download/-1").status == 404)
        #expect(try await client.get("/FlightProxy/Download/99999999999").status == 404)
    }

    // MARK: CSRF

    @Test func `a write needs the token and its cookie`() async throws {
        let client = try await SAPClient.registered()
        let fetched = try await client.get(path, ["x-csrf-token": "FETCH"])
        let token = try #require(fetched.fields["X-CSRF-Token"])
        let cookie = try #require(fetched.cookies["sap-XSRF_GWD_100"])
        func write(_ token: String?, cookie: String?) async throws -> SAPClient.Response {
            var fields = ["Content-Type": "application/json"]
            fields["X-CSRF-Token"] = token
            fields["Cookie"] = cookie.map { "a=b; sap-XSRF_GWD_100=\($0)" }
            return try await client.send("MERGE", path + "('SQ2')", fields: fields, body: "{\"Seats\": 1}")
        }
        for (token, cookie) in [(nil, nil), (token, nil), (nil, cookie), ("other", cookie), (token, "other")]
            as [(String?, String?)]
        {
            let refused = try await write(token, cookie: cookie)
            #expect(refused.status == 403 && refused.fields["X-CSRF-Token"] == "Required")
            #expect(refused.text == "CSRF token validation failed")
        }
        #expect(client.service.flights["SQ2"]?["Seats"] == "410")
        #expect(try await write(token, cookie: cookie).status == 204)
        // The same cookie gets the same token, without a new cookie.
        let again = try await client.get(path, ["X-CSRF-Token": "Fetch", "Cookie": "sap-XSRF_GWD_100=\(cookie)"])
        #expect(again.fields["X-CSRF-Token"] == token && again.cookies.isEmpty)
        client.service.expireTokens()
        #expect(try await write(token, cookie: cookie).status == 403)
        #expect(client.service.counts.tokenRejections == 6 && client.service.counts.tokens == 1)
    }

    @Test func `tokens are optional, and X-Requested-With replaces them unless switched off`() async throws {
        let own = path + "('SQ2')"
        let open = try await SAPClient.registered { $0.requiresTokens = false }
        #expect(try await open.send("DELETE", own).status == 204)
        let strict = try await SAPClient.registered { $0.acceptsRequestedWith = false }
        #expect(try await strict.write("DELETE", own, [:]).status == 403)
        #expect(try await strict.get(own).fields["X-CSRF-Token"] == nil)
    }
}
