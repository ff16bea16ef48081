use super::show::parsed;
