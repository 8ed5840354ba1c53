import HyperHive
import TestSupport
import Testing

@Suite(.needsSlot) struct CredentialsTests {
    @Test func `HyperHive 1: credentials with an application, as release 9.2u9 has them`() async throws {
        try await Hive.serving { hive in
            let controller = hive.controller
            let host = try #require(hive.client.configuration?.host)
            try hive.client.openDatabase(Hive.database)
            // Rows of another application are loaded in full.
            for application in ["one", "one", "two"] {
                controller.initWithCredentials(
                    "v1", host: host, environment: "work env", project: "shop", application: application,
                    device: "device-1")
                #expect(hive.client.configuration?.application == application)
                try await hive.client.signIn("ann", password: "open sesame")
                try await hive.sync()
            }
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last", "v0-last"])
        }
    }
}
