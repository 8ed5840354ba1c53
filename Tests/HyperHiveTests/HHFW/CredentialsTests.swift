import Delegation
import Foundation
import HTTPMessages
import HyperHive
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

@Suite(.needsSlot) struct CredentialsTests {
    // The application is of release 9.2u9.
    @Test(arguments: ["host", "environment", "project", "application"])
    func `HyperHive 1: credentials of another host, environment, project or application load all rows`(
        part: String
    ) async throws {
        try await Hive.serving { hive in
            try await hive.service.startServer().stopping { other in
                let controller = hive.controller
                let host = try #require(hive.client.configuration?.host)
                try hive.client.openDatabase(Hive.database)
                for isOther in [false, false, true] {
                    func value(_ name: String, _ value: String, other: String) -> String {
                        isOther && part == name ? other : value
                    }
                    let application = value("application", "one", other: "two")
                    controller.initWithCredentials(
                        "v1", host: value("host", host, other: "http://127.0.0.1:\(other.port)/"),
                        environment: value("environment", "work env", other: "test"),
                        project: value("project", "shop", other: "depot"), application: application,
                        device: "device-1")
                    #expect(hive.client.configuration?.application == application)
                    try await hive.client.signIn("ann", password: "open sesame")
                    try await hive.sync()
                }
                let sent = hive.sent("X-Delta") + hive.sent("X-Delta", to: other)
                #expect(sent == ["v0-last", "v1-last", "v0-last"])
            }
        }
    }

    @Test func `HyperHive 1: the version of the server's API`() async throws {
        let transport = ScriptedTransport([], then: .json([]))
        let controller = HHFWController(client: HyperHive(transport: transport))
        controller.delivery = .inline
        for version in ["v2", "", nil] {
            controller.initWithCredentials(version, host: "http://h", environment: "e", project: "p", device: "d")
            _ = await result { controller.request("R", requestCallParams: nil, handler: $0) }
        }
        #expect(transport.requests.map { $0.url.path() } == ["/api/v2/rpc/R/", "/api/v1/rpc/R/", "/api/v1/rpc/R/"])
    }
}
