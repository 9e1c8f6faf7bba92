// swift-tools-version: 6.2
import PackageDescription

/// A separate package, so that users of the library do not depend on the programs it is compared with.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "LevelKit", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CRawLevelDB"),
        .executableTarget(
            name: "attachbench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "bench",
            dependencies: ["CRawLevelDB", "Harness", .product(name: "LevelKit", package: "LevelKit")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "core",
            dependencies: [
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // Shared by the comparisons: records, costs, table lines.
        .target(name: "Harness", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "docbench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "historybench",
            dependencies: ["Harness", .product(name: "DocIndex", package: "LevelKit")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "querybench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // Combines the programs' measurements in one table, and compares two tables.
        .executableTarget(
            name: "report", dependencies: ["Harness"], swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "textbench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
