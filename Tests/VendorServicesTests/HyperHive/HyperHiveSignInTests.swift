import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import VendorServices

struct HyperHiveSignInTests {
    @Test func `a sign-in returns a token and records the device`() async throws {
        var client = HyperHiveClient()
        let response = try await client.authenticate("ann", "open sesame")
        #expect(response.status == 200 && response.json == ["token": "id-1"])
        #expect(response.fields[.contentType] == "application/json; charset=utf-8")
        try await client.signIn()
        #expect(
            client.service.devices == [
                "D-1": HyperHiveService.Device(user: "ann", environment: "my env", project: "p", signIns: 2)
            ])
        #expect(client.service.counts.signIns == 2 && client.service.counts.requests(to: .authentication) == 2)
    }

    @Test(arguments: [("Лена@дом", "па:роль%+"), ("a%40b", "x y"), ("ß", "🔑")])
    func `names and passwords are UTF-8, and compared as they are sent`(user: String, password: String) async throws {
        let client = HyperHiveClient { $0.users = [user: password] }
        #expect(try await client.authenticate(user, password).status == 200)
        #expect(try await client.authenticate(user, password + "x").status == 401)
    }

    @Test func `wrong credentials get 401 with a code and a description, and no challenge`() async throws {
        let client = HyperHiveClient()
        for (user, password) in [("ann", "sesame"), ("bob", "open sesame"), ("", "")] {
            let response = try await client.authenticate(user, password)
            #expect(response.status == 401 && response.fields[.wwwAuthenticate] == nil)
            #expect(response.json == ["code": 401, "description": "Unknown user or wrong password"])
        }
        #expect(client.service.counts.rejectedSignIns == 3 && client.service.devices.isEmpty)
    }

    @Test(arguments: [[:], ["environment": "e"], ["environment": 1, "project": "p"], []] as [JSONValue])
    func `a sign-in needs environment and project`(body: JSONValue) async throws {
        #expect(try await HyperHiveClient().authenticate("ann", "open sesame", body: body).status == 400)
    }

    @Test func `a sign-in needs a device, and may be limited to projects`() async throws {
        var client = HyperHiveClient { $0.projects = ["my env": ["p"]] }
        #expect(try await client.authenticate("ann", "open sesame").status == 200)
        let other: JSONValue = ["environment": "my env", "project": "q"]
        #expect(try await client.authenticate("ann", "open sesame", body: other).status == 400)
        client.device = nil
        #expect(try await client.authenticate("ann", "open sesame").status == 400)
    }

    @Test func `calls need a valid token of the same device`() async throws {
        var client = try await HyperHiveClient.signedIn()
        #expect(try await client.call().status == 200)
        client.device = nil
        #expect(try await client.call().status == 200)
        client.device = "D-2"
        #expect(try await client.call().status == 403)
        client.device = "D-1"
        client.service.expireTokens()
        let refused = try await client.call()
        #expect(refused.status == 401 && refused.json == ["code": 401, "description": "Invalid token"])
        client.token = nil
        for path in ["schema", "transactions/", "rpc/FRUITS/"] {
            #expect(try await client.send("GET", path).status == 401)
        }
        #expect(client.service.counts.rejectedTokens == 4)
    }

    @Test func `a call may require the device`() async throws {
        var client = try await HyperHiveClient.signedIn { $0.requiresDeviceID = true }
        #expect(try await client.call().status == 200)
        client.device = nil
        #expect(try await client.call().status == 400)
    }

    @Test func `a token expires`() async throws {
        let clock = ManualClock()
        var client = HyperHiveClient(clock: clock) { $0.tokenLifetime = .seconds(60) }
        try await client.signIn()
        await clock.advance(by: .seconds(59))
        #expect(try await client.call().status == 200)
        await clock.advance(by: .seconds(1))
        #expect(try await client.call().status == 401)
    }

    @Test(arguments: [
        ("GET", "auth/", 405), ("POST", "schema", 405), ("PUT", "rpc/FRUITS/", 405), ("POST", "transactions/", 405),
        ("GET", "rpc/", 404), ("GET", "rpc/FRUITS/x", 404), ("GET", "files/a", 404), ("GET", "rpc//", 404),
        ("GET", "rpc/NONE/", 404),
    ])
    func `other paths and methods are refused`(method: String, path: String, status: Int) async throws {
        let response = try await HyperHiveClient.signedIn().send(method, path)
        #expect(response.status == status && response.json["code"] == .integer(Int64(status)))
        #expect(response.fields.contains(try HTTPFieldName("Allow")) == (status == 405))
    }

    @Test func `the path may have a prefix, another version and no slash`() async throws {
        let service = HyperHiveService(
            {
                var configuration = HyperHiveService.Configuration()
                configuration.path = "/fmp"
                configuration.apiVersion = "v2"
                return configuration
            }())
        for (path, status) in [("/fmp/api/v2/schema", 401), ("/fmp/api/v2/schema/", 401), ("/api/v2/schema", 404)] {
            let request = try HTTPRequest(.get, "http://hive.test" + path)
            #expect(try await service.respond(to: request).status.code == status)
        }
    }

    @Test func `descriptions contain no secrets`() {
        var configuration = HyperHiveService.Configuration()
        configuration.users = ["ann": "top-secret"]
        var text = "\(configuration)" + String(reflecting: configuration)
        dump(configuration, to: &text)
        #expect(text.contains("ann") && !text.contains("top-secret"))
    }
}
