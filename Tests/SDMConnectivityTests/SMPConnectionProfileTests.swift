import Foundation
import HTTPMessages
import Testing
import Transport

@testable import SDMConnectivity

@Suite struct SMPConnectionProfileTests {
    @Test func `the cookies of a server are those of its host and its path`() throws {
        let profile = try SMPConnectionProfile(baseURL: URL(httpString: "http://H.example.com:8080/relay/F1"))
        func receives(_ domain: String, _ path: String, isHostOnly: Bool = true) throws -> Bool {
            profile.receives(try Cookie("n", "v", domain: domain, path: path, isHostOnly: isHostOnly))
        }
        for path in ["/", "/relay", "/relay/F1", "/relay/F1/", "/relay/F1/odata"] {
            #expect(try receives("h.example.com", path), "\(path)")
        }
        for path in ["/relay/F", "/relay/F12", "/relay/F2/odata", "/odata"] {
            #expect(try !receives("h.example.com", path), "\(path)")
        }
        #expect(try receives("example.com", "/", isHostOnly: false) && !receives("example.com", "/"))
        #expect(try !receives("other.example.com", "/") && !receives("ample.com", "/", isHostOnly: false))
    }

    @Test func `URLs of hosts and relay servers`() throws {
        func base(
            _ farm: String? = nil, _ template: String? = nil, isSecure: Bool = false
        ) throws -> String {
            try SMPConnectionProfile(
                host: "h", port: 80, farm: farm, relayServerURLTemplate: template, isSecure: isSecure
            ).baseURL.absoluteString
        }
        #expect(try base() == "http://h:80/" && base(isSecure: true) == "https://h:80/")
        #expect(try base("Farm1") == "http://h:80/ias_relay_server/client/rs_client.dll/Farm1/")
        #expect(
            try base("Farm1", SMPConnectionProfile.relayTemplateApache) == "http://h:80/cli/iasrelayserver/Farm1/")
        #expect(try base("a/b", "http://{host}/x/{FarmID}") == "http://h/x/a%2Fb/")
        #expect(try SMPConnectionProfile(host: "h").baseURL.absoluteString == "http://h:8000/")
        // As the vendor's header has it: a path, to which the farm is appended.
        let suffix = "/ias_relay_server/client/rs_client.dll"
        #expect(try base("relay.farm", suffix) == "http://h:80/ias_relay_server/client/rs_client.dll/relay.farm/")
        #expect(try base("f", suffix.dropFirst() + "/", isSecure: true) == "https://h:80\(suffix)/f/")
        #expect(try base("f", "/cli/{farm}/x") == "http://h:80/cli/f/x/" && base("f", "/") == "http://h:80/f/")
        #expect(try base(nil, "/path") == "http://h:80/path/")
        #expect(try SMPConnectionProfile(host: "[::1]").baseURL.absoluteString == "http://[::1]:8000/")
        for host in ["", "x/y", "x?y", "x#y", "a@b", "h:80", "::1", "h ", "{port}", "h%2Fx", "[::1]/x", "[]"] {
            let error = #expect(throws: SMPError.self, "\(host)") { try SMPConnectionProfile(host: host) }
            #expect(error?.code == .emptyParameters)
        }
        #expect(throws: SMPError.self) { try SMPConnectionProfile(host: "h", port: 0) }
        #expect(throws: SMPError.self) { try base("f", "http://{host}/{unknown}") }
        let profile = try SMPConnectionProfile(host: "h", port: 80, farm: "Farm1")
        #expect(
            profile.proxyURL("Flight Proxy", isAnonymous: true).absoluteString
                == "http://h:80/ias_relay_server/client/rs_client.dll/Farm1/public/Flight%20Proxy/")
        #expect(
            profile.connections(of: "com.example", version: "v1", isAnonymous: false).absoluteString
                == "http://h:80/ias_relay_server/client/rs_client.dll/Farm1/odata/applications/v1/com.example/Connections"
        )
        #expect(profile.contains(try URL(httpString: "http://h/ias_relay_server/client/rs_client.dll/Farm1/P/S")))
        #expect(!profile.contains(try URL(httpString: "http://h/other/")))
        #expect(!profile.contains(try URL(httpString: "https://h/ias_relay_server/client/rs_client.dll/Farm1/P/")))
    }

    @Test func `identifiers from cookies and locations`() throws {
        let url = try URL(httpString: "http://h/")
        func id(_ cookie: String) throws -> String? {
            SMPConnectionID(HTTPResponseHead(status: .ok, fields: try HTTPFields(["Set-Cookie": cookie]), url: url))?
                .value
        }
        #expect(try id("X-SUP-APPCID=abc; Path=/") == "abc" && id("X-SUP-APPCID = abc") == "abc")
        #expect(try id("X-SUP-SESSID=abc") == nil && id("X-SUP-APPCID=") == nil)
        // One that the server deletes.
        #expect(try id("X-SMP-APPCID=deleted; Path=/; Max-Age=0") == nil && id("X-SMP-APPCID=a; Max-Age=60") == "a")
        #expect(try id("X-SMP-APPCID=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT") == nil)
        #expect(try id("X-SMP-APPCID=" + String(repeating: "x", count: 128)) != nil)
        #expect(try id("X-SMP-APPCID=" + String(repeating: "x", count: 129)) == nil)
        func key(_ location: String) -> String? { SMPConnectionID(location: location, style: .smp)?.value }
        #expect(key("http://h/odata/applications/v1/a/Connections('b6d5-1')") == "b6d5-1")
        #expect(key("/Connections('a%2Fb')") == "a/b" && key("/Connections") == nil && key("/Connections('')") == nil)
        #expect(key("/Connections('it%27%27s')") == "it's" && key("/Connections('it''s')") == "it's")
    }
}
