// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The folder with copies of the peers, each in a folder of the name of its repository. A peer without a copy is left
/// out: nothing is fetched.
let copies = Context.environment["PATCHBAY_PEERS"] ?? ""

func hasCopy(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(copies)/\(name)/Package.swift") }

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Patchbay", path: "../..")],
    targets: [
        .target(name: "Rounds"),
        // The smallest apps, to compare the sizes of their files.
        .executableTarget(name: "app-patchbay", dependencies: [.product(name: "Patchbay", package: "Patchbay")]),
    ]
)

if hasCopy("Alamofire") {
    package.dependencies.append(.package(path: "\(copies)/Alamofire"))
    package.targets += [
        .executableTarget(
            name: "peer-clients",
            dependencies: [
                "Alamofire", "Rounds", .product(name: "Patchbay", package: "Patchbay"),
                .product(name: "PatchbayTestKit", package: "Patchbay"),
            ]),
        .executableTarget(name: "app-alamofire", dependencies: ["Alamofire"]),
    ]
}

if hasCopy("GRDB.swift") {
    package.dependencies.append(.package(path: "\(copies)/GRDB.swift"))
    package.targets.append(
        .executableTarget(
            name: "peer-stores",
            dependencies: [
                "Rounds", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SQLiteStore", package: "Patchbay"),
            ],
            // GRDB names functions for snapshots that the SQLite of Debian lacks; nothing here calls them.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--unresolved-symbols=ignore-in-object-files"], .when(platforms: [.linux]))
            ]))
}

// SwiftPM fetches it with the packages that it needs, so only if that is asked for.
if Context.environment["PATCHBAY_PEER_ASYNC_HTTP_CLIENT"] != nil {
    package.dependencies += [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.33.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(path: "../../Examples/CurlTransport"),
    ]
    let client: [Target.Dependency] = [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
    ]
    package.targets += [
        .executableTarget(
            name: "peer-engines",
            dependencies: client + [
                "CurlTransport", "Rounds", .product(name: "HTTPMessages", package: "Patchbay"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Patchbay", package: "Patchbay"),
                .product(name: "PatchbayTestKit", package: "Patchbay"),
                .product(name: "Transport", package: "Patchbay"),
            ]),
        .executableTarget(name: "app-async-http-client", dependencies: client),
    ]
}

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
