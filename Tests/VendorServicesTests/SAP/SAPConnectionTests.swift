import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import VendorServices

@Suite(.needsSlot) struct SAPConnectionTests {
    private let path = SAPClient.connections
    private let device = "<d:DeviceType>iPhone</d:DeviceType><d:DeviceModel>&lt;6&gt;</d:DeviceModel>".entry

    @Test func `a registration has a location and two cookies`() async throws {
        let client = SAPClient()
        let response = try await client.send("POST", path, fields: SAPClient.atomType, body: device)
        #expect(response.status == 201)
        #expect(response.fields[.location] == "http://sap.test:8080\(path)('id-1')")
        #expect(response.cookies["X-SMP-APPCID"] == "id-1" && response.cookies["X-SMP-SESSID"] == "id-2")
        #expect(response.fields["DataServiceVersion"] == "1.0")
        #expect(response.fields[.contentType] == "application/atom+xml;type=entry;charset=utf-8")
        #expect(response.text.contains("<d:DeviceType>iPhone</d:DeviceType>"))
        #expect(
            client.service.connections == [
                "id-1": [
                    "ApplicationConnectionId": "id-1", "UserName": "ann", "DeviceType": "iPhone", "DeviceModel": "<6>",
                ]
            ])
        #expect(client.service.counts.registrations == 1 && client.service.counts.requests(to: .connections) == 1)
    }

    @Test func `an unknown device, the older product, and an anonymous registration in JSON`() async throws {
        var client = SAPClient { $0.product = .unwiredPlatform }
        client.authorization = nil
        let response = try await client.send(
            "POST", "/public/odata/applications/v1/app/Connections?$format=json",
            fields: ["Content-Type": "application/json"], body: "{}")
        #expect(response.status == 201)
        #expect(response.cookies.keys.sorted() == ["X-SUP-APPCID", "X-SUP-SESSID"])
        #expect(response.json["d"]?["DeviceType"] == "Unknown" && response.json["d"]?["UserName"] == .null)
        #expect(response.fields[.location]?.hasPrefix("http://sap.test:8080/public/odata/") == true)
    }

    @Test func `a client chooses its id, once and with at most 128 characters`() async throws {
        var client = SAPClient()
        for (id, status) in [("chosen", 201), ("chosen", 409), (String(repeating: "x", count: 129), 400)] {
            client.appcid = id
            let response = try await client.send("POST", path, fields: SAPClient.atomType, body: device)
            #expect(response.status == status)
        }
        #expect(client.service.connections.keys.sorted() == ["chosen"])
    }

    @Test func `read, replace, merge and delete`() async throws {
        let client = SAPClient()
        _ = try await client.send("POST", path, fields: SAPClient.atomType, body: device)
        let own = path + "('id-1')"
        #expect(try await client.get(own).text.contains("<d:DeviceModel>&lt;6&gt;</d:DeviceModel>"))
        #expect(try await client.get(own + "?$format=json").json["d"]?["DeviceModel"] == "<6>")
        let merged = try await client.send(
            "MERGE", own, fields: SAPClient.atomType, body: "<d:PhoneNumber>1</d:PhoneNumber>".entry)
        #expect(merged.status == 204)
        #expect(client.service.connections["id-1"]?["DeviceModel"] == "<6>")
        let replaced = try await client.send(
            "PUT", own, fields: SAPClient.atomType, body: "<d:DeviceType>iPad</d:DeviceType>".entry)
        #expect(replaced.status == 204)
        #expect(
            client.service.connections["id-1"]
                == ["ApplicationConnectionId": "id-1", "UserName": "ann", "DeviceType": "iPad"])
        let fixed = try await client.send(
            "MERGE", own, fields: SAPClient.atomType, body: "<d:UserName>bob</d:UserName>".entry)
        #expect(fixed.status == 400)
        #expect(try await client.send("DELETE", own).status == 204)
        #expect(try await client.get(own).status == 404)
        #expect(try await client.send("POST", own, fields: SAPClient.atomType, body: device).status == 405)
    }

    @Test(arguments: [
        "", "<entry>", "<entry/>", "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/hostname\">]><a>&b;</a>",
    ])
    func `a malformed entry is refused`(body: String) async throws {
        let response = try await SAPClient().send("POST", path, fields: SAPClient.atomType, body: body)
        #expect(response.status == 400 && response.text.contains("<code>BAD_REQUEST</code>"))
    }

    @Test(arguments: [
        ("/odata/applications/v2/a/Connections", 404), ("/odata/applications/v1/Connections", 404),
        ("/odata/applications/v1/a/Connections('b", 404), ("/odata//applications/v1/a/Connections", 404),
        ("/odata/applications/v1/a/Connections('b'c')", 404), ("/nothing", 404), ("/", 404),
        ("/odata/applications/v1/a/Connections", 405), ("/odata/applications/v1/a/Connections('b')", 404),
    ])
    func `unknown paths and wrong methods`(path: String, status: Int) async throws {
        #expect(try await SAPClient().get(path).status == status)
    }

    @Test func `data requires a registration, in a header or a cookie of either name`() async throws {
        let client = try await SAPClient.registered()
        let data = "/FlightProxy/Flights"
        var other = client
        other.appcid = nil
        #expect(try await client.get(data).status == 200)
        for fields in [
            ["X-SUP-APPCID": "app"], ["Cookie": "a=b; X-SMP-APPCID=app"], ["Cookie": "X-SUP-APPCID=app"],
        ] {
            #expect(try await other.get(data, fields).status == 200)
        }
        for fields in [[:], ["X-SMP-APPCID": "other"], ["Cookie": "X-SMP-APPCIDs=app"]] {
            let response = try await other.get(data, fields)
            #expect(response.status == 403 && response.text.contains("NOT_ONBOARDED"))
        }
        client.service.forgetConnections()
        #expect(try await client.get(data).status == 403)
    }

    @Test func `the older product reads its own names only`() async throws {
        var client = SAPClient { $0.product = .unwiredPlatform }
        _ = try await client.send("POST", path, fields: SAPClient.atomType, body: device)
        client.appcid = "id-1"
        #expect(try await client.get("/FlightProxy/").status == 403)
        #expect(try await client.get("/FlightProxy/", ["X-SUP-APPCID": "id-1"]).status == 200)
    }

    @Test(arguments: ["/ias_relay_server/client/rs_client.dll/Farm1", "/cli/iasrelayserver/Farm1"])
    func `relay servers forward, and their path stays in URLs`(relay: String) async throws {
        let client = try await SAPClient.registered()
        let response = try await client.get(relay + "/FlightProxy/Flights('SQ2')?$format=json")
        #expect(
            response.json["d"]?["__metadata"]?["uri"]
                == .string("http://sap.test:8080\(relay)/FlightProxy/Flights('SQ2')"))
        #expect(try await client.get(relay + "/public/FlightProxy/Flights").status == 200)
        #expect(try await client.get(relay.replacing("Farm1", with: "Farm2") + "/FlightProxy/Flights").status == 404)
    }

    @Test func `faults are injected once, in order`() async throws {
        let client = try await SAPClient.registered()
        client.service.inject(.failure(.serviceUnavailable, code: "BUSY", message: "a < b"), at: .data, count: 2)
        for _ in 0..<2 {
            let response = try await client.get("/FlightProxy/Flights")
            #expect(response.status == 503 && response.text.contains("<code>BUSY</code>"))
            #expect(response.text.contains("<message xml:lang=\"en\">a &lt; b</message>"))
        }
        #expect(try await client.get("/FlightProxy/Flights").status == 200)
        #expect(client.service.counts.requests(to: .data) == 3)
    }

    @Test func `over a socket, with the cookies of a layer`() async throws {
        try await LoopbackServer.serving(SAPService()) { server in
            let transport = URLSessionTransport.withoutDeadlines.keepingCookies()
            let fields = try HTTPFields(["Authorization": SAPClient.basic, "Content-Type": "application/atom+xml"])
            let registered = try await transport.send(
                HTTPRequest(.post, server.url(of: path), fields: fields, body: .text(device)))
            #expect(registered.status == .created)
            let data = try await transport.send(
                HTTPRequest(.get, server.url(of: "/FlightProxy/Flights"), fields: fields))
            #expect(data.status == .ok)
        }
    }
}
