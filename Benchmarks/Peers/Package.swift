// swift-tools-version: 6.2
import PackageDescription

/// A folder with copies of the peers, each in a folder of its name; else they are fetched.
let copies = Context.environment["PATCHBAY_PEERS"]

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Patchbay", path: "../.."),
        copies.map { .package(path: "\($0)/Alamofire") }
            ?? .package(url: "https://github.com/Alamofire/Alamofire", from: "5.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "peers",
            dependencies: [
                "Alamofire", .product(name: "Patchbay", package: "Patchbay"),
                .product(name: "PatchbayTestKit", package: "Patchbay"),
            ]),
        // The smallest apps, to compare the sizes of their files.
        .executableTarget(name: "app-patchbay", dependencies: [.product(name: "Patchbay", package: "Patchbay")]),
        .executableTarget(name: "app-alamofire", dependencies: ["Alamofire"]),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
