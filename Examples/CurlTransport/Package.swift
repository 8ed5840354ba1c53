// swift-tools-version: 6.2
import PackageDescription

/// The identity of the package with the modules under test, which SwiftPM derives from the name of its folder. Their
/// tests are built as parts of it, for `package` access.
let patchbay = String(
    (Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "").lowercased()
        .map { $0.isLetter || $0.isNumber ? $0 : "_" })

/// A module of Patchbay.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Patchbay") }

/// The tests of a facade, linked from Patchbay's folder; they run over the engine of `TestSupport`.
func facadeTests(_ name: String, _ products: String...) -> Target {
    let shared = ["Delegation", "HTTPMessages", "PatchbayTestKit", "Transport", "VendorServices"]
    return .testTarget(
        name: name,
        dependencies: ["TestSupport"] + (products + shared).map { product($0) },
        packageAccess: false, swiftSettings: [.unsafeFlags(["-package-name", patchbay])])
}

let package = Package(
    name: "CurlTransport",
    platforms: [.macOS(.v15)],
    products: [.library(name: "CurlTransport", targets: ["CurlTransport"])],
    dependencies: [.package(name: "Patchbay", path: "../..")],
    targets: [
        .target(name: "CCurl"),
        .target(
            name: "CurlTransport",
            dependencies: ["CCurl", product("HTTPMessages"), product("PatchbayErrors"), product("Transport")]),
        .executableTarget(
            name: "curl-tour",
            dependencies: [
                "CurlTransport", product("HTTPMessages"), product("PatchbayTestKit"), product("Transport"),
            ]),
        // The baseline of the benchmarks.
        .executableTarget(name: "curl-floor"),
        .executableTarget(
            name: "curl-benchmarks",
            dependencies: [
                "curl-floor",
                "CurlTransport", product("HTTPMessages"), product("PatchbayTestKit"), product("Transport"),
            ],
            path: "Benchmarks", exclude: ["beside-nginx"]),
        // Run by a test.
        .executableTarget(
            name: "curl-probe",
            dependencies: ["CurlTransport", product("HTTPMessages"), product("Transport")],
            path: "Tests/CurlProbe"),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: [
                "CurlTransport", "curl-probe", "TestSupport", product("Authentication"), product("HTTPMessages"),
                product("PatchbayTestKit"), product("Transport"), product("WebSockets"),
            ]),
        // The folder `Shared` is linked from Patchbay; it has another list of engines.
        .target(
            name: "TestSupport",
            dependencies: ["CurlTransport"]
                + ["Authentication", "HTTPMessages", "PatchbayTestKit", "Queueing", "Transport"].map { product($0) },
            path: "Tests/TestSupport", exclude: ["Shared/TestTransport+Engines.swift"], packageAccess: false,
            swiftSettings: [.unsafeFlags(["-package-name", patchbay])]),
        facadeTests("AkulaTests", "Akula", "HTTPCaching", "Queueing", "RequestModel", "ResponseDecoding"),
        facadeTests("HyperHiveTests", "DeltaSync", "HyperHive", "JSON", "LocalStore", "SQLiteStore", "StoreCore"),
        facadeTests("MobileFirstTests", "Authentication", "MobileFirst", "ResponseDecoding"),
        .testTarget(
            name: "PatchbayTests", dependencies: ["TestSupport", product("Patchbay"), product("PatchbayTestKit")],
            packageAccess: false, swiftSettings: [.unsafeFlags(["-package-name", patchbay])]),
        facadeTests("OracleCXTests", "OracleCX", "Queueing", "ResponseDecoding"),
        .testTarget(
            name: "WebSocketsTests",
            dependencies: ["TestSupport"]
                + ["Authentication", "HTTPMessages", "PatchbayTestKit", "ResponseDecoding", "Transport", "WebSockets"]
                .map { product($0) },
            packageAccess: false, swiftSettings: [.unsafeFlags(["-package-name", patchbay])]),
        facadeTests(
            "SoakTests", "Akula", "Authentication", "HTTPCaching", "HyperHive", "MobileFirst", "OracleCX", "Outbox",
            "Patchbay", "Queueing", "SDMConnectivity", "SQLiteStore"),
        // A benchmark against other programs: its server is another one.
        .executableTarget(
            name: "socket-echo",
            dependencies: ["CurlTransport", product("HTTPMessages"), product("Transport"), product("WebSockets")]),
        facadeTests(
            "SDMConnectivityTests", "Authentication", "Connectivity", "HTTPCaching", "Queueing", "RequestModel",
            "ResponseDecoding", "SDMConnectivity", "SDMConnectivityNames"),
    ]
)

// As in Patchbay's own manifest.
let isStrict = Context.environment["PATCHBAY_STRICT"] != nil

for target in package.targets where !["CCurl", "curl-floor"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
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
