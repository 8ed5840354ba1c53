// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Patchbay",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "PatchbayErrors", targets: ["PatchbayErrors"]),
        .library(name: "JSON", targets: ["JSON"]),
        .library(name: "HTTPMessages", targets: ["HTTPMessages"]),
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "LocalStore", targets: ["LocalStore"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "DeltaSync", targets: ["DeltaSync"]),
        .library(name: "Connectivity", targets: ["Connectivity"]),
        .library(name: "Outbox", targets: ["Outbox"]),
        .library(name: "RequestModel", targets: ["RequestModel"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "ResponseDecoding", targets: ["ResponseDecoding"]),
        .library(name: "Delegation", targets: ["Delegation"]),
        .library(name: "Queueing", targets: ["Queueing"]),
        .library(name: "Authentication", targets: ["Authentication"]),
        .library(name: "Signing", targets: ["Signing"]),
        .library(name: "HTTPCaching", targets: ["HTTPCaching"]),
        .library(name: "OData", targets: ["OData"]),
        .library(name: "WebSockets", targets: ["WebSockets"]),
        .library(name: "Monitoring", targets: ["Monitoring"]),
        .library(name: "SignIn", targets: ["SignIn"]),
        .library(name: "Patchbay", targets: ["Patchbay"]),
        .library(name: "Akula", targets: ["Akula"]),
        .library(name: "HyperHive", targets: ["HyperHive"]),
        .library(name: "MobileFirst", targets: ["MobileFirst"]),
        .library(name: "OracleCX", targets: ["OracleCX"]),
        .library(name: "SDMConnectivity", targets: ["SDMConnectivity"]),
        .library(name: "SDMConnectivityNames", targets: ["SDMConnectivityNames"]),
        .library(name: "PatchbayTestKit", targets: ["PatchbayTestKit"]),
        .library(name: "StoreTestKit", targets: ["StoreTestKit"]),
        .library(name: "VendorServices", targets: ["VendorServices"]),
        // No other executable: a package that depends on this one may build each that is a product, and its modules.
        .executable(name: "patchbay-migrate", targets: ["patchbay-migrate"]),
    ],
    targets: [
        // Ground
        .target(name: "PatchbayErrors"),
        .target(name: "JSON", dependencies: ["PatchbayErrors"]),
        .target(name: "SystemLibraries", dependencies: ["PatchbayErrors"]),
        .target(name: "Coordination", dependencies: ["SystemLibraries"]),
        // Layer 0
        .target(name: "HTTPMessages", dependencies: ["JSON", "PatchbayErrors", "SystemLibraries"]),
        .target(name: "Connectivity", dependencies: ["Coordination", "SystemLibraries"]),
        .target(name: "StoreCore", dependencies: ["Coordination", "JSON", "PatchbayErrors", "SystemLibraries"]),
        // Layer 1
        .target(name: "RequestModel", dependencies: ["HTTPMessages", "PatchbayErrors", "SystemLibraries"]),
        .target(
            name: "Transport", dependencies: ["Coordination", "HTTPMessages", "PatchbayErrors", "SystemLibraries"]),
        .target(name: "ResponseDecoding", dependencies: ["HTTPMessages", "PatchbayErrors"]),
        .target(name: "LocalStore", dependencies: ["StoreCore", "SystemLibraries"]),
        .target(name: "SQLiteStore", dependencies: ["PatchbayErrors", "StoreCore", "SystemLibraries"]),
        // Layer 2
        .target(
            name: "DeltaSync", dependencies: ["Coordination", "HTTPMessages", "JSON", "PatchbayErrors", "StoreCore"]),
        .target(
            name: "Delegation",
            dependencies: ["Coordination", "HTTPMessages", "PatchbayErrors", "SystemLibraries", "Transport"]),
        .target(
            name: "Queueing",
            dependencies: ["Connectivity", "Coordination", "HTTPMessages", "PatchbayErrors", "Transport"]),
        .target(
            name: "Authentication",
            dependencies: ["Coordination", "HTTPMessages", "PatchbayErrors", "SystemLibraries", "Transport"]),
        .target(
            name: "Signing",
            dependencies: ["Coordination", "HTTPMessages", "PatchbayErrors", "SystemLibraries", "Transport"]),
        .target(
            name: "HTTPCaching",
            dependencies: [
                "Coordination", "HTTPMessages", "PatchbayErrors", "StoreCore", "SystemLibraries", "Transport",
            ]),
        .target(name: "OData", dependencies: ["HTTPMessages", "PatchbayErrors", "ResponseDecoding"]),
        .target(
            name: "WebSockets",
            dependencies: [
                "Coordination", "HTTPMessages", "PatchbayErrors", "ResponseDecoding", "SystemLibraries", "Transport",
            ]),
        // Layer 3: the front door and the facades
        .target(
            name: "Monitoring",
            dependencies: [
                "Authentication", "Coordination", "HTTPCaching", "HTTPMessages", "JSON", "PatchbayErrors", "Queueing",
                "RequestModel", "StoreCore", "SystemLibraries", "Transport",
            ]),
        .target(
            name: "SignIn",
            dependencies: [
                "Authentication", "Coordination", "HTTPMessages", "JSON", "PatchbayErrors", "RequestModel", "Signing",
                "SystemLibraries", "Transport",
            ]),
        .target(
            name: "Outbox",
            dependencies: [
                "Authentication", "Connectivity", "Coordination", "DeltaSync", "HTTPMessages", "JSON", "PatchbayErrors",
                "Queueing", "ResponseDecoding", "StoreCore", "SystemLibraries", "Transport",
            ]),
        .target(
            name: "Patchbay",
            dependencies: [
                "Authentication", "Connectivity", "Coordination", "HTTPCaching", "HTTPMessages", "JSON", "Monitoring",
                "PatchbayErrors", "Queueing", "RequestModel", "ResponseDecoding", "SignIn", "Signing", "Transport",
            ]),
        .target(
            name: "Akula",
            dependencies: [
                "Coordination", "Delegation", "HTTPMessages", "PatchbayErrors", "Queueing", "RequestModel",
                "ResponseDecoding", "Transport",
            ]),
        .target(
            name: "HyperHive",
            dependencies: [
                "Authentication", "Coordination", "Delegation", "DeltaSync", "HTTPMessages", "JSON", "LocalStore",
                "PatchbayErrors", "Queueing", "RequestModel", "ResponseDecoding", "SQLiteStore", "StoreCore",
                "SystemLibraries", "Transport",
            ]),
        .target(
            name: "MobileFirst",
            dependencies: [
                "Authentication", "Coordination", "Delegation", "HTTPMessages", "PatchbayErrors", "RequestModel",
                "ResponseDecoding", "SystemLibraries", "Transport",
            ]),
        .target(
            name: "OracleCX",
            dependencies: [
                "Coordination", "Delegation", "HTTPMessages", "PatchbayErrors", "Queueing", "RequestModel",
                "ResponseDecoding", "SystemLibraries", "Transport",
            ]),
        .target(
            name: "SDMConnectivity",
            dependencies: [
                "Authentication", "Connectivity", "Coordination", "Delegation", "HTTPCaching", "HTTPMessages", "OData",
                "PatchbayErrors", "RequestModel", "ResponseDecoding", "SystemLibraries", "Transport",
            ]),
        .target(name: "SDMConnectivityNames", dependencies: ["SDMConnectivity"]),
        // Beside the layers
        .target(
            name: "PatchbayTestKit",
            dependencies: [
                "Coordination", "HTTPMessages", "PatchbayErrors", "RequestModel", "SystemLibraries", "Transport",
                "WebSockets",
            ]),
        .target(name: "StoreTestKit", dependencies: ["PatchbayTestKit", "StoreCore"]),
        .target(
            name: "VendorServices",
            dependencies: [
                "Coordination", "HTTPMessages", "PatchbayErrors", "PatchbayTestKit", "SystemLibraries", "Transport",
            ]),
        .target(name: "PatchbayMigration"),
        // What the examples share
        .target(
            name: "ExampleSupport", dependencies: ["HTTPMessages", "PatchbayTestKit"], path: "Examples/support"),
        // Run as executables
        .executableTarget(name: "patchbay-migrate", dependencies: ["PatchbayMigration"]),
        .executableTarget(
            name: "quickstart",
            dependencies: [
                "Akula", "Delegation", "DeltaSync", "ExampleSupport", "HTTPMessages", "HyperHive", "LocalStore",
                "MobileFirst", "OracleCX", "Patchbay", "PatchbayTestKit", "Queueing", "ResponseDecoding",
                "SDMConnectivity",
                "SQLiteStore", "StoreCore", "Transport", "VendorServices",
            ],
            path: "Examples/quickstart"),
        // Examples, each of which is a program; CI compares what they print with Examples/README.md
        .executableTarget(
            name: "akula-orders",
            dependencies: [
                "Akula", "ExampleSupport", "HTTPMessages", "PatchbayTestKit", "ResponseDecoding", "VendorServices",
            ],
            path: "Examples/akula-orders"),
        .executableTarget(
            name: "hyperhive-stock",
            dependencies: ["ExampleSupport", "HyperHive", "PatchbayTestKit", "StoreCore", "VendorServices"],
            path: "Examples/hyperhive-stock"),
        .executableTarget(
            name: "oracle-events",
            dependencies: [
                "ExampleSupport", "HTTPMessages", "OracleCX", "PatchbayTestKit", "ResponseDecoding", "VendorServices",
            ],
            path: "Examples/oracle-events"),
        .executableTarget(
            name: "mobilefirst-account",
            dependencies: [
                "ExampleSupport", "HTTPMessages", "MobileFirst", "PatchbayTestKit", "RequestModel", "ResponseDecoding",
                "VendorServices",
            ],
            path: "Examples/mobilefirst-account"),
        .executableTarget(
            name: "sdm-flights",
            dependencies: [
                "ExampleSupport", "HTTPMessages", "PatchbayTestKit", "ResponseDecoding", "SDMConnectivity",
                "VendorServices",
            ],
            path: "Examples/sdm-flights"),
        .executableTarget(
            name: "github-client", dependencies: ["ExampleSupport", "Patchbay", "PatchbayTestKit"],
            path: "Examples/github-client"),
        .executableTarget(
            name: "resumed-download",
            dependencies: ["ExampleSupport", "Patchbay", "PatchbayTestKit", "SystemLibraries"],
            path: "Examples/resumed-download"),
        .executableTarget(
            name: "offline-notes",
            dependencies: [
                "Connectivity", "DeltaSync", "ExampleSupport", "Outbox", "Patchbay", "PatchbayTestKit", "SQLiteStore",
                "VendorServices",
            ],
            path: "Examples/offline-notes"),
        .executableTarget(
            name: "offer-service", dependencies: ["Patchbay", "PatchbayTestKit"], path: "Examples/offer-service"),
        .executableTarget(
            name: "stock-sync",
            dependencies: [
                "DeltaSync", "ExampleSupport", "Patchbay", "PatchbayTestKit", "SQLiteStore", "VendorServices",
            ],
            path: "Examples/stock-sync"),
        .executableTarget(
            name: "oauth-login", dependencies: ["ExampleSupport", "Patchbay", "PatchbayTestKit", "SystemLibraries"],
            path: "Examples/oauth-login"),
        .executableTarget(
            name: "tested-shop", dependencies: ["ExampleSupport", "Patchbay", "PatchbayTestKit"],
            path: "Examples/tested-shop"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Akula", "Authentication", "Delegation", "DeltaSync", "HTTPCaching", "HTTPMessages", "HyperHive",
                "JSON",
                "LocalStore", "Monitoring", "Outbox", "Patchbay", "PatchbayTestKit", "Queueing", "RequestModel",
                "ResponseDecoding", "SDMConnectivity", "Signing", "SQLiteStore", "StoreCore", "SystemLibraries",
                "Transport", "VendorServices",
            ],
            path: "Benchmarks", exclude: ["bands.json", "Peers"]),
        // Run by tests, as a process that may end
        .executableTarget(
            name: "ConformanceProbe", dependencies: ["HTTPMessages", "PatchbayTestKit", "Transport"],
            path: "Tests/ConformanceProbe"),
        // Tests mirror Sources
        .target(
            name: "TestSupport",
            dependencies: [
                "Authentication", "Coordination", "HTTPMessages", "PatchbayTestKit", "Queueing", "Transport",
            ],
            path: "Tests/TestSupport"),
        .target(
            name: "StoreTestSupport",
            dependencies: ["LocalStore", "SQLiteStore", "StoreTestKit", "SystemLibraries", "TestSupport"],
            path: "Tests/StoreTestSupport"),
        .testTarget(
            name: "GitHubClientTests", dependencies: ["github-client", "Patchbay", "PatchbayTestKit", "TestSupport"]),
        .testTarget(
            name: "OfflineNotesTests",
            dependencies: [
                "DeltaSync", "offline-notes", "Outbox", "Patchbay", "PatchbayTestKit", "SQLiteStore", "TestSupport",
                "VendorServices",
            ]),
        .testTarget(
            name: "OfferServiceTests",
            dependencies: ["offer-service", "Patchbay", "PatchbayTestKit", "TestSupport"]),
        .testTarget(
            name: "TestedShopTests", dependencies: ["Patchbay", "PatchbayTestKit", "tested-shop", "TestSupport"],
            exclude: ["shop.json"]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "akula-orders", "ExampleSupport", "github-client", "HTTPMessages", "hyperhive-stock",
                "mobilefirst-account", "oauth-login", "offline-notes", "oracle-events", "PatchbayTestKit",
                "resumed-download", "sdm-flights", "SignIn", "stock-sync", "tested-shop", "TestSupport", "Transport",
                "VendorServices",
            ]),
        .testTarget(
            name: "MonitoringTests",
            dependencies: [
                "Akula", "Authentication", "HTTPCaching", "HTTPMessages", "LocalStore", "Monitoring", "PatchbayTestKit",
                "Queueing", "SQLiteStore", "StoreCore", "TestSupport", "Transport",
            ]),
        .testTarget(name: "PatchbayTests", dependencies: ["Patchbay", "PatchbayTestKit", "TestSupport"]),
        .testTarget(
            name: "PatchbayErrorsTests",
            dependencies: [
                "Akula", "Authentication", "Delegation", "DeltaSync", "HTTPMessages", "HyperHive", "MobileFirst",
                "Monitoring", "OData", "OracleCX", "Outbox", "Patchbay", "PatchbayErrors", "PatchbayTestKit",
                "Queueing", "RequestModel", "ResponseDecoding", "SDMConnectivity", "SignIn", "Signing", "StoreCore",
                "SystemLibraries", "Transport", "VendorServices", "WebSockets",
            ]),
        .testTarget(
            name: "CoordinationTests",
            dependencies: [
                "Coordination", "delta-writer", "PatchbayTestKit", "StoreTestSupport", "SystemLibraries", "TestSupport",
            ]),
        .testTarget(
            name: "SystemLibrariesTests", dependencies: ["delta-writer", "SystemLibraries", "TestSupport"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "PatchbayTestKit", "TestSupport"]),
        .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages", "PatchbayTestKit", "TestSupport"]),
        .testTarget(
            name: "StoreCoreTests",
            dependencies: [
                "Coordination", "delta-writer", "LocalStore", "PatchbayTestKit", "SQLiteStore", "StoreCore",
                "StoreTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "LocalStoreTests",
            dependencies: [
                "delta-writer", "LocalStore", "PatchbayTestKit", "SQLiteStore", "StoreTestSupport", "SystemLibraries",
                "TestSupport",
            ]),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "Coordination", "delta-writer", "PatchbayTestKit", "SQLiteStore", "StoreCore", "StoreTestSupport",
                "SystemLibraries", "TestSupport",
            ]),
        .testTarget(
            name: "StoreTestKitTests", dependencies: ["LocalStore", "StoreTestKit", "TestSupport"]),
        // Killed by the tests while it writes.
        .executableTarget(
            name: "delta-writer",
            dependencies: ["Coordination", "DeltaSync", "LocalStore", "SQLiteStore", "StoreCore", "SystemLibraries"],
            path: "Tests/DeltaWriter"),
        .testTarget(
            name: "DeltaSyncTests",
            dependencies: [
                "delta-writer", "DeltaSync", "JSON", "LocalStore", "PatchbayTestKit", "SQLiteStore", "StoreCore",
                "StoreTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "ConnectivityTests",
            dependencies: ["Connectivity", "outbox-sender", "PatchbayTestKit", "SystemLibraries", "TestSupport"]),
        // Killed by the tests while it sends.
        .executableTarget(
            name: "outbox-sender",
            dependencies: [
                "Connectivity", "HTTPMessages", "Outbox", "Queueing", "SQLiteStore", "StoreCore", "Transport",
            ],
            path: "Tests/OutboxSender"),
        .testTarget(
            name: "OutboxTests",
            dependencies: [
                "Authentication", "Connectivity", "Coordination", "DeltaSync", "HTTPMessages", "HyperHive", "JSON",
                "LocalStore",
                "Outbox", "outbox-sender", "PatchbayTestKit", "Queueing", "SDMConnectivity", "SQLiteStore", "StoreCore",
                "StoreTestSupport", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "RequestModelTests",
            dependencies: [
                "HTTPMessages", "PatchbayTestKit", "RequestModel", "SystemLibraries", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Coordination", "HTTPMessages", "PatchbayTestKit", "SystemLibraries", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "DelegationTests",
            dependencies: [
                "Coordination", "Delegation", "HTTPMessages", "PatchbayTestKit", "SystemLibraries", "TestSupport",
                "Transport",
            ]),
        .testTarget(
            name: "QueueingTests",
            dependencies: [
                "ConformanceProbe", "Connectivity", "Coordination", "Delegation", "HTTPMessages", "PatchbayTestKit",
                "Queueing", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "AuthenticationTests",
            dependencies: [
                "Authentication", "ConformanceProbe", "Coordination", "HTTPMessages", "PatchbayTestKit",
                "SystemLibraries", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "SignInTests",
            dependencies: [
                "Authentication", "HTTPMessages", "JSON", "PatchbayTestKit", "Queueing", "RequestModel", "SignIn",
                "Signing", "SystemLibraries", "TestSupport", "Transport",
            ]),
        .testTarget(
            name: "SigningTests",
            dependencies: ["HTTPMessages", "PatchbayTestKit", "Signing", "SystemLibraries", "TestSupport", "Transport"]),
        .testTarget(
            name: "HTTPCachingTests",
            dependencies: [
                "cache-writer", "ConformanceProbe", "Coordination", "HTTPCaching", "HTTPMessages", "JSON", "LocalStore",
                "PatchbayTestKit", "SQLiteStore", "StoreCore", "TestSupport", "Transport",
            ]),
        // Killed by the tests while it stores responses.
        .executableTarget(
            name: "cache-writer", dependencies: ["HTTPCaching", "HTTPMessages", "SQLiteStore", "Transport"],
            path: "Tests/CacheWriter"),
        .testTarget(
            name: "ResponseDecodingTests",
            dependencies: ["HTTPMessages", "JSON", "PatchbayTestKit", "ResponseDecoding", "TestSupport", "Transport"]),
        .testTarget(
            name: "WebSocketsTests",
            dependencies: [
                "Authentication", "HTTPMessages", "PatchbayTestKit", "ResponseDecoding", "SystemLibraries",
                "TestSupport", "Transport", "WebSockets",
            ]),
        .testTarget(
            name: "ODataTests",
            dependencies: ["HTTPMessages", "OData", "PatchbayTestKit", "ResponseDecoding", "Transport"]),
        .testTarget(
            name: "AkulaTests",
            dependencies: [
                "Akula", "Delegation", "HTTPCaching", "HTTPMessages", "PatchbayTestKit", "Queueing", "RequestModel",
                "ResponseDecoding", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "HyperHiveTests",
            dependencies: [
                "Delegation", "DeltaSync", "HTTPMessages", "HyperHive", "JSON", "LocalStore", "PatchbayTestKit",
                "SQLiteStore", "StoreCore", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "MobileFirstTests",
            dependencies: [
                "Authentication", "Coordination", "Delegation", "HTTPMessages", "MobileFirst", "PatchbayTestKit",
                "ResponseDecoding", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "OracleCXTests",
            dependencies: [
                "Coordination", "Delegation", "HTTPMessages", "OracleCX", "PatchbayTestKit", "Queueing",
                "ResponseDecoding", "SystemLibraries", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "SDMConnectivityTests",
            dependencies: [
                "Authentication", "Connectivity", "Coordination", "Delegation", "HTTPCaching", "HTTPMessages",
                "PatchbayTestKit", "Queueing", "RequestModel", "ResponseDecoding", "SDMConnectivity",
                "SDMConnectivityNames", "SystemLibraries", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Authentication", "DeltaSync", "HTTPMessages", "HyperHive", "JSON", "LocalStore", "PatchbayMigration",
                "Monitoring", "OData", "PatchbayErrors", "PatchbayTestKit", "RequestModel", "ResponseDecoding",
                "SignIn", "Signing", "StoreCore", "SystemLibraries", "TestSupport", "Transport", "VendorServices",
                "WebSockets",
            ],
            exclude: ["Corpus"]),
        // All clients at once, as long as the environment says.
        .testTarget(
            name: "SoakTests",
            dependencies: [
                "Akula", "Authentication", "Delegation", "HTTPCaching", "HTTPMessages", "HyperHive", "MobileFirst",
                "OracleCX", "Outbox", "Patchbay", "PatchbayTestKit", "Queueing", "SDMConnectivity", "SQLiteStore",
                "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(name: "MigrationTests", dependencies: ["PatchbayMigration"]),
        .testTarget(
            name: "VendorServicesTests",
            dependencies: [
                "HTTPMessages", "PatchbayTestKit", "RequestModel", "TestSupport", "Transport", "VendorServices",
            ]),
        .testTarget(
            name: "PatchbayTestKitTests",
            dependencies: [
                "ConformanceProbe", "HTTPMessages", "PatchbayTestKit", "SystemLibraries", "TestSupport", "Transport",
                "WebSockets",
            ]),
    ]
)

// A part of the package, for a short build: `PATCHBAY_TARGETS="QueueingTests" swift test` builds these targets, separated by
// spaces, and what they depend on.
if let names = Context.environment["PATCHBAY_TARGETS"], !names.isEmpty {
    var waiting = names.split(separator: " ").map(String.init)
    var needed: Set<String> = []
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            // SwiftPM says of an unknown name that its folder is missing.
            package.targets.append(.target(name: name, path: name))
            continue
        }
        waiting += target.dependencies.compactMap {
            if case .byNameItem(let name, _) = $0 { name } else { nil }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.isSuperset(of: ($0 as? Product.Library)?.targets ?? [""]) }
}

// Our own checks admit no warning; a user's build is not stopped by those of a newer compiler.
let isStrict = Context.environment["PATCHBAY_STRICT"] != nil

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
    if isStrict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}

// The modules that call APIs for which Apple demands a reason in a privacy manifest; `.ci/check-privacy` compares both.
for target in package.targets where ["SDMConnectivity", "SystemLibraries"].contains(target.name) {
    let manifest = "PrivacyInfo.xcprivacy"
    // True on the machine that builds, for all of Apple's platforms. Elsewhere a resource would only add a folder.
    #if os(macOS)
        target.resources = [.process(manifest)]
    #else
        target.exclude.append(manifest)
    #endif
}
