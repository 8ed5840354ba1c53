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

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
