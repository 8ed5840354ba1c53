// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A folder with copies of the server packages, each in a folder of its name; else they are fetched.
let copies = Context.environment["PATCHBAY_SERVER_PACKAGES"]

/// A package of Apple's server ecosystem.
func server(_ name: String, from version: Version) -> Package.Dependency {
    if let copies {
        .package(path: "\(copies)/\(name)")
    } else {
        .package(url: "https://github.com/apple/\(name)", from: version)
    }
}

/// A module of Patchbay.
func patchbay(_ name: String) -> Target.Dependency { .product(name: name, package: "Patchbay") }

let package = Package(
    name: "SwiftServer",
    platforms: [.macOS(.v15)],
    products: [.library(name: "SwiftServer", targets: ["SwiftServer"])],
    dependencies: [
        .package(name: "Patchbay", path: "../.."),
        server("swift-log", from: "1.6.0"),
        server("swift-metrics", from: "2.5.0"),
        server("swift-service-context", from: "1.1.0"),
        server("swift-distributed-tracing", from: "1.1.0"),
        server("swift-http-types", from: "1.3.0"),
        server("swift-openapi-runtime", from: "1.7.0"),
    ],
    targets: [
        .target(
            name: "SwiftServer",
            dependencies: [
                patchbay("HTTPMessages"), patchbay("Monitoring"), patchbay("Transport"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .executableTarget(
            name: "server-tour",
            dependencies: [
                "SwiftServer", patchbay("HTTPMessages"), patchbay("Monitoring"), patchbay("Transport"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
